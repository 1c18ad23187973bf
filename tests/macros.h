/* Macros that programs have when they include csspgo.h, those of X11, curses, Windows, Qt, Arduino, Apple and others: here each
 * stands for something that does not compile, so a use of the name anywhere in the header is an error. Headers of the C library come
 * before, as their declarations use some of these names. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif
#ifdef CSSPGO_USE_ZSTD
#  include <zstd.h>
#endif

/* Windows: windef.h, rpcndr.h, winnt.h, objbase.h, wingdi.h, winerror.h */
#undef near
#define near =!=
#undef far
#define far =!=
#undef NEAR
#define NEAR =!=
#undef FAR
#define FAR =!=
#undef small
#define small =!=
#undef hyper
#define hyper =!=
#undef interface
#define interface =!=
#undef cdecl
#define cdecl =!=
#undef pascal
#define pascal =!=
#undef huge
#define huge =!=
#undef CONST
#define CONST =!=
#undef IN
#define IN =!=
#undef OUT
#define OUT =!=
#undef OPTIONAL
#define OPTIONAL =!=
#undef VOID
#define VOID =!=
#undef ERROR
#define ERROR =!=
#undef NO_ERROR
#define NO_ERROR =!=
#undef DELETE
#define DELETE =!=
#undef TRUE
#define TRUE =!=
#undef FALSE
#define FALSE =!=
#undef BOOL
#define BOOL =!=
#undef INPUT
#define INPUT =!=
#undef STRICT
#define STRICT =!=
#undef THIS
#define THIS =!=
#undef PURE
#define PURE =!=
#undef CALLBACK
#define CALLBACK =!=
#undef WINAPI
#define WINAPI =!=
#undef APIENTRY
#define APIENTRY =!=
#undef ABSOLUTE
#define ABSOLUTE =!=
#undef RELATIVE
#define RELATIVE =!=
#undef OPAQUE
#define OPAQUE =!=
#undef TRANSPARENT
#define TRANSPARENT =!=
#undef DIFFERENCE
#define DIFFERENCE =!=
#undef DOMAIN
#define DOMAIN =!=
#undef OVERFLOW
#define OVERFLOW =!=
#undef UNDERFLOW
#define UNDERFLOW =!=
#undef PLOSS
#define PLOSS =!=
#undef TLOSS
#define TLOSS =!=
#undef SING
#define SING =!=
#undef STATUS_PENDING
#define STATUS_PENDING =!=
#undef min
#define min(...) =!=
#undef max
#define max(...) =!=

/* X11: X.h, Xlib.h, Xutil.h */
#undef None
#define None =!=
#undef Bool
#define Bool =!=
#undef Status
#define Status =!=
#undef True
#define True =!=
#undef False
#define False =!=
#undef Success
#define Success =!=
#undef Always
#define Always =!=
#undef Above
#define Above =!=
#undef Below
#define Below =!=
#undef Complex
#define Complex =!=
#undef Convex
#define Convex =!=
#undef Nonconvex
#define Nonconvex =!=
#undef Unsorted
#define Unsorted =!=
#undef YSorted
#define YSorted =!=
#undef CursorShape
#define CursorShape =!=
#undef KeyPress
#define KeyPress =!=
#undef KeyRelease
#define KeyRelease =!=
#undef FocusIn
#define FocusIn =!=
#undef FocusOut
#define FocusOut =!=
#undef Expose
#define Expose =!=
#undef GrayScale
#define GrayScale =!=
#undef TrueColor
#define TrueColor =!=
#undef DirectColor
#define DirectColor =!=
#undef ControlMask
#define ControlMask =!=
#undef ShiftMask
#define ShiftMask =!=
#undef LockMask
#define LockMask =!=
#undef Opposite
#define Opposite =!=
#undef ParentRelative
#define ParentRelative =!=
#undef CopyFromParent
#define CopyFromParent =!=
#undef CurrentTime
#define CurrentTime =!=
#undef BadAlloc
#define BadAlloc =!=
#undef BadValue
#define BadValue =!=
#undef BadMatch
#define BadMatch =!=
#undef BadName
#define BadName =!=
#undef AnyKey
#define AnyKey =!=
#undef Button1
#define Button1 =!=
#undef EvenOddRule
#define EvenOddRule =!=
#undef WindingRule
#define WindingRule =!=
#undef XYBitmap
#define XYBitmap =!=
#undef ZPixmap
#define ZPixmap =!=
#undef index
#define index(...) =!=
#undef rindex
#define rindex(...) =!=

/* curses: curses.h, term.h */
#undef OK
#define OK =!=
#undef ERR
#define ERR =!=
#undef bool
#define bool =!=
#undef columns
#define columns =!=
#undef lines
#define lines =!=
#undef tab
#define tab =!=
#undef bell
#define bell =!=
#undef newline
#define newline =!=
#undef A_BOLD
#define A_BOLD =!=
#undef COLOR_RED
#define COLOR_RED =!=
#undef KEY_UP
#define KEY_UP =!=
#undef NOERR
#define NOERR =!=
#undef auto_left_margin
#define auto_left_margin =!=
#undef back_tab
#define back_tab =!=
#undef carriage_return
#define carriage_return =!=
#undef cursor_up
#define cursor_up =!=
#undef clear
#define clear(...) =!=
#undef erase
#define erase(...) =!=
#undef move
#define move(...) =!=
#undef refresh
#define refresh(...) =!=
#undef echo
#define echo(...) =!=
#undef timeout
#define timeout(...) =!=
#undef border
#define border(...) =!=
#undef scroll
#define scroll(...) =!=
#undef box
#define box(...) =!=
#undef hline
#define hline(...) =!=
#undef vline
#define vline(...) =!=
#undef inch
#define inch(...) =!=
#undef instr
#define instr(...) =!=
#undef filter
#define filter(...) =!=
#undef getch
#define getch(...) =!=
#undef ungetch
#define ungetch(...) =!=
#undef getstr
#define getstr(...) =!=
#undef getyx
#define getyx(...) =!=
#undef getbegyx
#define getbegyx(...) =!=
#undef getmaxyx
#define getmaxyx(...) =!=
#undef addch
#define addch(...) =!=
#undef addstr
#define addstr(...) =!=
#undef addnstr
#define addnstr(...) =!=
#undef insch
#define insch(...) =!=
#undef insstr
#define insstr(...) =!=
#undef delch
#define delch(...) =!=
#undef deleteln
#define deleteln(...) =!=
#undef insertln
#define insertln(...) =!=
#undef insdelln
#define insdelln(...) =!=
#undef printw
#define printw(...) =!=
#undef scanw
#define scanw(...) =!=
#undef attron
#define attron(...) =!=
#undef attroff
#define attroff(...) =!=
#undef attrset
#define attrset(...) =!=
#undef attrget
#define attrget(...) =!=
#undef chgat
#define chgat(...) =!=
#undef color_set
#define color_set(...) =!=
#undef bkgd
#define bkgd(...) =!=
#undef bkgdset
#define bkgdset(...) =!=
#undef standout
#define standout(...) =!=
#undef standend
#define standend(...) =!=
#undef clrtobot
#define clrtobot(...) =!=
#undef clrtoeol
#define clrtoeol(...) =!=
#undef setscrreg
#define setscrreg(...) =!=
#undef touchline
#define touchline(...) =!=
#undef redrawwin
#define redrawwin(...) =!=
#undef overlay
#define overlay(...) =!=
#undef mvaddch
#define mvaddch(...) =!=

/* Qt: qobjectdefs.h, qglobal.h */
#undef slots
#define slots =!=
#undef signals
#define signals =!=
#undef emit
#define emit =!=
#undef forever
#define forever =!=
#undef foreach
#define foreach(...) =!=

/* Arduino: Arduino.h, binary.h, WString.h */
#undef HIGH
#define HIGH =!=
#undef LOW
#define LOW =!=
#undef OUTPUT
#define OUTPUT =!=
#undef PI
#define PI =!=
#undef HALF_PI
#define HALF_PI =!=
#undef TWO_PI
#define TWO_PI =!=
#undef DEG_TO_RAD
#define DEG_TO_RAD =!=
#undef EULER
#define EULER =!=
#undef SERIAL
#define SERIAL =!=
#undef DISPLAY
#define DISPLAY =!=
#undef LSBFIRST
#define LSBFIRST =!=
#undef MSBFIRST
#define MSBFIRST =!=
#undef CHANGE
#define CHANGE =!=
#undef FALLING
#define FALLING =!=
#undef RISING
#define RISING =!=
#undef DEFAULT
#define DEFAULT =!=
#undef EXTERNAL
#define EXTERNAL =!=
#undef INTERNAL
#define INTERNAL =!=
#undef B0
#define B0 =!=
#undef B1
#define B1 =!=
#undef B00
#define B00 =!=
#undef B01
#define B01 =!=
#undef B10
#define B10 =!=
#undef B11
#define B11 =!=
#undef B111
#define B111 =!=
#undef B1000
#define B1000 =!=
#undef A0
#define A0 =!=
#undef A1
#define A1 =!=
#undef boolean
#define boolean =!=
#undef bit
#define bit(...) =!=
#undef sq
#define sq(...) =!=
#undef abs
#define abs(...) =!=
#undef round
#define round(...) =!=
#undef radians
#define radians(...) =!=
#undef degrees
#define degrees(...) =!=
#undef constrain
#define constrain(...) =!=
#undef word
#define word(...) =!=
#undef lowByte
#define lowByte(...) =!=
#undef highByte
#define highByte(...) =!=
#undef bitRead
#define bitRead(...) =!=
#undef bitSet
#define bitSet(...) =!=
#undef bitClear
#define bitClear(...) =!=
#undef bitWrite
#define bitWrite(...) =!=
#undef interrupts
#define interrupts(...) =!=
#undef noInterrupts
#define noInterrupts(...) =!=
#undef F
#define F(...) =!=
#undef PSTR
#define PSTR(...) =!=
#undef cbi
#define cbi(...) =!=
#undef sbi
#define sbi(...) =!=

/* Apple: AssertMacros.h, MacTypes.h, objc.h, TargetConditionals.h */
#undef nil
#define nil =!=
#undef Nil
#define Nil =!=
#undef YES
#define YES =!=
#undef NO
#define NO =!=
#undef IBOutlet
#define IBOutlet =!=
#undef IBAction
#define IBAction =!=
#undef TARGET_OS_MAC
#define TARGET_OS_MAC =!=
#undef noErr
#define noErr =!=
#undef check
#define check(...) =!=
#undef check_noerr
#define check_noerr(...) =!=
#undef check_string
#define check_string(...) =!=
#undef require
#define require(...) =!=
#undef require_noerr
#define require_noerr(...) =!=
#undef require_action
#define require_action(...) =!=
#undef require_quiet
#define require_quiet(...) =!=
#undef require_string
#define require_string(...) =!=
#undef verify
#define verify(...) =!=
#undef verify_noerr
#define verify_noerr(...) =!=
#undef verify_action
#define verify_action(...) =!=
#undef ncheck
#define ncheck(...) =!=
#undef MIN
#define MIN(...) =!=
#undef MAX
#define MAX(...) =!=
#undef ABS
#define ABS(...) =!=

/* C: complex.h, tgmath.h, stdnoreturn.h, sys/param.h, sys/sysmacros.h, gnu89 and AltiVec */
#undef I
#define I =!=
#undef complex
#define complex =!=
#undef imaginary
#define imaginary =!=
#undef noreturn
#define noreturn =!=
#undef unix
#define unix =!=
#undef linux
#define linux =!=
#undef i386
#define i386 =!=
#undef vector
#define vector =!=
#undef pixel
#define pixel =!=
#undef BSD
#define BSD =!=
#undef NBBY
#define NBBY =!=
#undef log
#define log(...) =!=
#undef exp
#define exp(...) =!=
#undef pow
#define pow(...) =!=
#undef sqrt
#define sqrt(...) =!=
#undef floor
#define floor(...) =!=
#undef ceil
#define ceil(...) =!=
#undef trunc
#define trunc(...) =!=
#undef fmod
#define fmod(...) =!=
#undef fabs
#define fabs(...) =!=
#undef sin
#define sin(...) =!=
#undef cos
#define cos(...) =!=
#undef real
#define real(...) =!=
#undef imag
#define imag(...) =!=
#undef conj
#define conj(...) =!=
#undef carg
#define carg(...) =!=
#undef remainder
#define remainder(...) =!=
#undef fmin
#define fmin(...) =!=
#undef fmax
#define fmax(...) =!=
#undef major
#define major(...) =!=
#undef minor
#define minor(...) =!=
#undef makedev
#define makedev(...) =!=
#undef howmany
#define howmany(...) =!=
#undef roundup
#define roundup(...) =!=
#undef isset
#define isset(...) =!=
#undef isclr
#define isclr(...) =!=
#undef setbit
#define setbit(...) =!=
#undef clrbit
#define clrbit(...) =!=
#undef powerof2
#define powerof2(...) =!=
#undef signbit
#define signbit(...) =!=
#undef isnan
#define isnan(...) =!=
#undef isinf
#define isinf(...) =!=

/* kernels, games, other languages */
#undef call
#define call =!=
#undef internal
#define internal =!=
#undef global
#define global =!=
#undef local
#define local =!=
#undef local_persist
#define local_persist =!=
#undef fallthrough
#define fallthrough =!=
#undef unless
#define unless =!=
#undef until
#define until =!=
#undef loop
#define loop =!=
#undef let
#define let =!=
#undef var
#define var =!=
#undef TRACE
#define TRACE =!=
#undef DEBUG
#define DEBUG =!=
#undef INFO
#define INFO =!=
#undef WARN
#define WARN =!=
#undef LOG
#define LOG =!=
#undef CHECK
#define CHECK =!=
#undef UNUSED
#define UNUSED =!=
#undef PACKED
#define PACKED =!=
#undef ALIGN
#define ALIGN =!=
#undef ASM
#define ASM =!=
#undef EXPORT
#define EXPORT =!=
#undef IMPORT
#define IMPORT =!=
#undef API
#define API =!=
#undef PUBLIC
#define PUBLIC =!=
#undef PRIVATE
#define PRIVATE =!=
#undef BEGIN
#define BEGIN =!=
#undef END
#define END =!=
#undef EOL
#define EOL =!=
#undef NUL
#define NUL =!=
#undef BIT
#define BIT =!=
#undef MASK
#define MASK =!=
#undef KB
#define KB =!=
#undef MB
#define MB =!=
#undef GB
#define GB =!=
#undef NODE
#define NODE =!=
#undef KEY
#define KEY =!=
#undef VALUE
#define VALUE =!=
#undef STATE
#define STATE =!=
#undef TYPE
#define TYPE =!=
#undef SIZE
#define SIZE =!=
#undef COUNT
#define COUNT =!=
#undef FLAGS
#define FLAGS =!=
#undef NAME
#define NAME =!=
#undef LINE
#define LINE =!=
#undef ROUND
#define ROUND =!=
#undef SWAP
#define SWAP =!=
#undef LIST
#define LIST =!=
#undef HASH
#define HASH =!=
#undef PROBE
#define PROBE =!=
#undef list
#define list(...) =!=
#undef apply
#define apply(...) =!=
#undef swap
#define swap(...) =!=
#undef probe
#define probe(...) =!=
#undef likely
#define likely(...) =!=
#undef unlikely
#define unlikely(...) =!=
#undef countof
#define countof(...) =!=
#undef lengthof
#define lengthof(...) =!=
#undef array_size
#define array_size(...) =!=
#undef container_of
#define container_of(...) =!=
#undef repeat
#define repeat(...) =!=
#undef BUG_ON
#define BUG_ON(...) =!=
#undef READ_ONCE
#define READ_ONCE(...) =!=
#undef WRITE_ONCE
#define WRITE_ONCE(...) =!=
#undef STR
#define STR(...) =!=
#undef CAT
#define CAT(...) =!=
#undef CONCAT
#define CONCAT(...) =!=
#undef JOIN
#define JOIN(...) =!=

