# made by demo.sh from demo.c; do not edit
	.section	.pseudo_probe,"",@progbits
	.quad	3726853560884672730
	.uleb128 1
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe1-.Lprobe_base1
	.quad	14566554092061534836
	.uleb128 1
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe2-.Lprobe_base2
	.quad	7575016425882428749
	.uleb128 13
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe3-.Lprobe_base3
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe4-.Lprobe3
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe5-.Lprobe4
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe6-.Lprobe5
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe7-.Lprobe6
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe8-.Lprobe7
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe9-.Lprobe8
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe10-.Lprobe9
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe11-.Lprobe10
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe12-.Lprobe11
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe13-.Lprobe12
	.uleb128 9
	.byte	130
	.sleb128 .Lprobe14-.Lprobe13
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe15-.Lprobe14
	.quad	3744463923176851956
	.uleb128 8
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe16-.Lprobe_base4
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe17-.Lprobe16
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe18-.Lprobe17
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe19-.Lprobe18
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe20-.Lprobe19
	.uleb128 4
	.byte	129
	.sleb128 .Lprobe21-.Lprobe20
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe22-.Lprobe21
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe23-.Lprobe22
	.quad	10891271899629478880
	.uleb128 14
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe24-.Lprobe_base5
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe25-.Lprobe24
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe26-.Lprobe25
	.uleb128 11
	.byte	128
	.sleb128 .Lprobe27-.Lprobe26
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe28-.Lprobe27
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe29-.Lprobe28
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe30-.Lprobe29
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe31-.Lprobe30
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe32-.Lprobe31
	.uleb128 6
	.byte	129
	.sleb128 .Lprobe33-.Lprobe32
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe34-.Lprobe33
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe35-.Lprobe34
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe36-.Lprobe35
	.uleb128 12
	.byte	128
	.sleb128 .Lprobe37-.Lprobe36
	.quad	8289196947039640778
	.uleb128 14
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe38-.Lprobe_base6
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe39-.Lprobe38
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe40-.Lprobe39
	.uleb128 8
	.byte	130
	.sleb128 .Lprobe41-.Lprobe40
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe42-.Lprobe41
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe43-.Lprobe42
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe44-.Lprobe43
	.uleb128 4
	.byte	130
	.sleb128 .Lprobe45-.Lprobe44
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe46-.Lprobe45
	.uleb128 6
	.byte	130
	.sleb128 .Lprobe47-.Lprobe46
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe48-.Lprobe47
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe49-.Lprobe48
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe50-.Lprobe49
	.uleb128 11
	.byte	130
	.sleb128 .Lprobe51-.Lprobe50
	.quad	7007789542375851948
	.uleb128 3
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe52-.Lprobe_base7
	.uleb128 2
	.byte	130
	.sleb128 .Lprobe53-.Lprobe52
	.uleb128 3
	.byte	130
	.sleb128 .Lprobe54-.Lprobe53
	.quad	3539302993248326209
	.uleb128 3
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe55-.Lprobe_base8
	.uleb128 2
	.byte	130
	.sleb128 .Lprobe56-.Lprobe55
	.uleb128 3
	.byte	130
	.sleb128 .Lprobe57-.Lprobe56
	.quad	7580080164582904468
	.uleb128 14
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe58-.Lprobe_base9
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe59-.Lprobe58
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe60-.Lprobe59
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe61-.Lprobe60
	.uleb128 16
	.byte	128
	.sleb128 .Lprobe62-.Lprobe61
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe63-.Lprobe62
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe64-.Lprobe63
	.uleb128 7
	.byte	130
	.sleb128 .Lprobe65-.Lprobe64
	.uleb128 8
	.byte	130
	.sleb128 .Lprobe66-.Lprobe65
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe67-.Lprobe66
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe68-.Lprobe67
	.uleb128 11
	.byte	128
	.sleb128 .Lprobe69-.Lprobe68
	.uleb128 12
	.byte	128
	.sleb128 .Lprobe70-.Lprobe69
	.uleb128 15
	.byte	128
	.sleb128 .Lprobe71-.Lprobe70
	.quad	12366546050365530231
	.uleb128 7
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe72-.Lprobe_base10
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe73-.Lprobe72
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe74-.Lprobe73
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe75-.Lprobe74
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe76-.Lprobe75
	.uleb128 4
	.byte	130
	.sleb128 .Lprobe77-.Lprobe76
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe78-.Lprobe77
	.quad	18170463196262270132
	.uleb128 23
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe79-.Lprobe_base11
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe80-.Lprobe79
	.uleb128 11
	.byte	128
	.sleb128 .Lprobe81-.Lprobe80
	.uleb128 13
	.byte	128
	.sleb128 .Lprobe82-.Lprobe81
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe83-.Lprobe82
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe84-.Lprobe83
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe85-.Lprobe84
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe86-.Lprobe85
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe87-.Lprobe86
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe88-.Lprobe87
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe89-.Lprobe88
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe90-.Lprobe89
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe91-.Lprobe90
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe92-.Lprobe91
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe93-.Lprobe92
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe94-.Lprobe93
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe95-.Lprobe94
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe96-.Lprobe95
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe97-.Lprobe96
	.uleb128 12
	.byte	128
	.sleb128 .Lprobe98-.Lprobe97
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe99-.Lprobe98
	.uleb128 14
	.byte	128
	.sleb128 .Lprobe100-.Lprobe99
	.uleb128 14
	.byte	128
	.sleb128 .Lprobe101-.Lprobe100
	.quad	831795231667200512
	.uleb128 8
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe102-.Lprobe_base12
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe103-.Lprobe102
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe104-.Lprobe103
	.uleb128 6
	.byte	128
	.sleb128 .Lprobe105-.Lprobe104
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe106-.Lprobe105
	.uleb128 4
	.byte	130
	.sleb128 .Lprobe107-.Lprobe106
	.uleb128 5
	.byte	130
	.sleb128 .Lprobe108-.Lprobe107
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe109-.Lprobe108
	.quad	2153991502472664936
	.uleb128 14
	.uleb128 1
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe110-.Lprobe_base13
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe111-.Lprobe110
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe112-.Lprobe111
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe113-.Lprobe112
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe115-.Lprobe113
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe116-.Lprobe115
	.uleb128 5
	.byte	128
	.sleb128 .Lprobe117-.Lprobe116
	.uleb128 7
	.byte	128
	.sleb128 .Lprobe119-.Lprobe117
	.uleb128 4
	.byte	128
	.sleb128 .Lprobe120-.Lprobe119
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe121-.Lprobe120
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe122-.Lprobe121
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe123-.Lprobe122
	.uleb128 9
	.byte	130
	.sleb128 .Lprobe124-.Lprobe123
	.uleb128 11
	.byte	128
	.sleb128 .Lprobe125-.Lprobe124
	.uleb128 6
	.quad	3726853560884672730
	.uleb128 2
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe114-.Lprobe125
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe118-.Lprobe114
	.quad	15439091835420976849
	.uleb128 7
	.uleb128 3
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe126-.Lprobe_base14
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe127-.Lprobe126
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe128-.Lprobe127
	.uleb128 8
	.byte	128
	.sleb128 .Lprobe132-.Lprobe128
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe133-.Lprobe132
	.uleb128 5
	.byte	130
	.sleb128 .Lprobe134-.Lprobe133
	.uleb128 9
	.byte	128
	.sleb128 .Lprobe135-.Lprobe134
	.uleb128 4
	.quad	3726853560884672730
	.uleb128 1
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe129-.Lprobe135
	.uleb128 6
	.quad	3726853560884672730
	.uleb128 1
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe130-.Lprobe129
	.uleb128 7
	.quad	3726853560884672730
	.uleb128 1
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe131-.Lprobe130
	.quad	15822663052811949562
	.uleb128 22
	.uleb128 0
	.uleb128 1
	.byte	128
	.sleb128 .Lprobe136-.Lprobe_base15
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe137-.Lprobe136
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe138-.Lprobe137
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe139-.Lprobe138
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe140-.Lprobe139
	.uleb128 3
	.byte	128
	.sleb128 .Lprobe141-.Lprobe140
	.uleb128 10
	.byte	128
	.sleb128 .Lprobe142-.Lprobe141
	.uleb128 2
	.byte	128
	.sleb128 .Lprobe143-.Lprobe142
	.uleb128 11
	.byte	128
	.sleb128 .Lprobe144-.Lprobe143
	.uleb128 4
	.byte	130
	.sleb128 .Lprobe145-.Lprobe144
	.uleb128 5
	.byte	130
	.sleb128 .Lprobe146-.Lprobe145
	.uleb128 6
	.byte	130
	.sleb128 .Lprobe147-.Lprobe146
	.uleb128 7
	.byte	130
	.sleb128 .Lprobe148-.Lprobe147
	.uleb128 8
	.byte	130
	.sleb128 .Lprobe149-.Lprobe148
	.uleb128 9
	.byte	130
	.sleb128 .Lprobe150-.Lprobe149
	.uleb128 4
	.byte	130
	.sleb128 .Lprobe151-.Lprobe150
	.uleb128 5
	.byte	130
	.sleb128 .Lprobe152-.Lprobe151
	.uleb128 6
	.byte	130
	.sleb128 .Lprobe153-.Lprobe152
	.uleb128 7
	.byte	130
	.sleb128 .Lprobe154-.Lprobe153
	.uleb128 8
	.byte	130
	.sleb128 .Lprobe155-.Lprobe154
	.uleb128 9
	.byte	130
	.sleb128 .Lprobe156-.Lprobe155
	.uleb128 12
	.byte	130
	.sleb128 .Lprobe157-.Lprobe156
	.text
	.file	"demo.c"
	.globl	mix
	.p2align	4, 0x90
	.type	mix,@function
mix:
.Lprobe_base1:
.Lfunc_begin0:
	.file	0 "." "demo.c"
	.loc	0 50 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Lprobe1:
.Ltmp0:
	.loc	0 51 18 prologue_end
	movl	(%rdi), %eax
	.loc	0 52 12
	movl	%eax, %ecx
	shll	$13, %ecx
	.loc	0 52 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 53 12 is_stmt 1
	movl	%ecx, %edx
	shrl	$17, %edx
	.loc	0 53 7 is_stmt 0
	xorl	%ecx, %edx
	.loc	0 54 12 is_stmt 1
	movl	%edx, %eax
	shll	$5, %eax
	.loc	0 54 7 is_stmt 0
	xorl	%edx, %eax
	.loc	0 55 19 is_stmt 1
	movl	%eax, (%rdi)
	.loc	0 55 5 epilogue_begin is_stmt 0
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp1:
.Lfunc_end0:
	.size	mix, .Lfunc_end0-mix
	.cfi_endproc
	.globl	less_price
	.p2align	4, 0x90
	.type	less_price,@function
less_price:
.Lprobe_base2:
.Lfunc_begin1:
	.loc	0 59 0 is_stmt 1
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Lprobe2:
.Ltmp2:
	.loc	0 60 15 prologue_end
	movl	12(%rdi), %ecx
	.loc	0 60 21 is_stmt 0
	xorl	%eax, %eax
	cmpl	12(%rsi), %ecx
	setb	%al
	.loc	0 60 5 epilogue_begin
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp3:
.Lfunc_end1:
	.size	less_price, .Lfunc_end1-less_price
	.cfi_endproc
	.globl	less_customer
	.p2align	4, 0x90
	.type	less_customer,@function
less_customer:
.Lprobe_base3:
.Lfunc_begin2:
	.cfi_startproc
.Lprobe3:
.Lprobe4:
	.loc	0 66 12 prologue_end is_stmt 1 discriminator 2
	movzbl	(%rdi), %ecx
	.loc	0 66 18 is_stmt 0 discriminator 2
	movzbl	(%rsi), %edx
	.loc	0 66 15 discriminator 2
	cmpb	%dl, %cl
	.loc	0 66 21 discriminator 2
	jne	.LBB2_4
	.loc	0 0 21
	movl	$1, %eax
	.p2align	4, 0x90
.LBB2_2:
.Lprobe5:
.Lprobe6:
	.loc	0 66 27 discriminator 4
	testb	%cl, %cl
	.loc	0 66 5 discriminator 6
	je	.LBB2_5
.Lprobe7:
.Lprobe8:
	.loc	0 66 12 discriminator 2
	movzbl	(%rdi,%rax), %ecx
	.loc	0 66 18 discriminator 2
	movzbl	(%rsi,%rax), %edx
	.loc	0 66 21 discriminator 2
	incq	%rax
	.loc	0 66 15 discriminator 2
	cmpb	%dl, %cl
	.loc	0 66 21 discriminator 2
	je	.LBB2_2
.LBB2_4:
.Lprobe9:
.Lprobe10:
	.loc	0 70 26 is_stmt 1 discriminator 2
	xorl	%eax, %eax
	cmpb	%dl, %cl
	setl	%al
.Lprobe11:
	.loc	0 70 5 is_stmt 0 discriminator 6
	retq
.LBB2_5:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Lprobe12:
.Lprobe13:
.Lprobe14:
	.loc	0 70 33 discriminator 455213135
	callq	less_price
.Ltmp4:
	.loc	0 0 33
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
.Lprobe15:
	.loc	0 70 5 discriminator 6
	retq
.Ltmp5:
.Lfunc_end2:
	.size	less_customer, .Lfunc_end2-less_customer
	.cfi_endproc
	.globl	part
	.p2align	4, 0x90
	.type	part,@function
part:
.Lprobe_base4:
.Lfunc_begin3:
	.loc	0 75 0 is_stmt 1
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$56, %rsp
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdx, %r14
	movq	%rdi, %rbx
.Lprobe16:
.Lprobe17:
.Ltmp6:
	.loc	0 76 23 prologue_end
	movl	%esi, %eax
	shrl	$31, %eax
	addl	%esi, %eax
	sarl	%eax
	.loc	0 76 19 is_stmt 0
	cltq
	leaq	(%rax,%rax,2), %rcx
	movq	16(%rdi,%rcx,8), %rax
	movq	%rax, -80(%rbp)
	movups	(%rdi,%rcx,8), %xmm0
	movaps	%xmm0, -96(%rbp)
	.loc	0 78 20 is_stmt 1
	leal	-1(%rsi), %eax
	.loc	0 78 16 is_stmt 0
	movslq	%eax, %rdx
	leaq	(%rdx,%rdx,2), %rdx
	leaq	(%rdi,%rdx,8), %rdi
	movq	%rdi, -72(%rbp)
	movq	16(%rbx,%rdx,8), %rdi
	movq	%rdi, 16(%rbx,%rcx,8)
	movups	(%rbx,%rdx,8), %xmm0
	movups	%xmm0, (%rbx,%rcx,8)
	.loc	0 79 16 is_stmt 1
	movaps	-96(%rbp), %xmm0
	movups	%xmm0, (%rbx,%rdx,8)
	movq	-80(%rbp), %rcx
	movq	%rcx, 16(%rbx,%rdx,8)
	xorl	%r13d, %r13d
	.loc	0 80 19 discriminator 2
	cmpl	$2, %esi
	.loc	0 80 5 is_stmt 0 discriminator 2
	jl	.LBB3_5
	.loc	0 80 19 discriminator 2
	movl	%eax, %r15d
	xorl	%r13d, %r13d
	movq	%rbx, %r12
	jmp	.LBB3_2
	.p2align	4, 0x90
.LBB3_4:
.Lprobe18:
.Lprobe19:
	addq	$24, %r12
	decq	%r15
	.loc	0 80 5 discriminator 2
	je	.LBB3_5
.LBB3_2:
.Lprobe20:
	.loc	0 81 14 is_stmt 1 discriminator 387973159
	movq	%r12, %rdi
	leaq	-96(%rbp), %rsi
.Lprobe21:
	callq	*%r14
.Ltmp7:
	.loc	0 81 14 is_stmt 0
	testl	%eax, %eax
	.loc	0 81 13
	je	.LBB3_4
.Lprobe22:
	.loc	0 82 13 is_stmt 1
	movq	16(%r12), %rax
	movq	%rax, -48(%rbp)
	movups	(%r12), %xmm0
	movaps	%xmm0, -64(%rbp)
	.loc	0 83 16
	movslq	%r13d, %r13
	leaq	(%r13,%r13,2), %rax
	movq	16(%rbx,%rax,8), %rcx
	movq	%rcx, 16(%r12)
	movups	(%rbx,%rax,8), %xmm0
	movups	%xmm0, (%r12)
	.loc	0 84 13
	incl	%r13d
	.loc	0 84 19 is_stmt 0
	movq	-48(%rbp), %rcx
	movq	%rcx, 16(%rbx,%rax,8)
	movaps	-64(%rbp), %xmm0
	movups	%xmm0, (%rbx,%rax,8)
	jmp	.LBB3_4
.LBB3_5:
.Lprobe23:
	.loc	0 86 9 is_stmt 1
	movslq	%r13d, %rax
	leaq	(%rax,%rax,2), %rcx
	movq	16(%rbx,%rcx,8), %rdx
	movq	%rdx, -48(%rbp)
	movups	(%rbx,%rcx,8), %xmm0
	movaps	%xmm0, -64(%rbp)
	movq	-72(%rbp), %rsi
	.loc	0 87 13
	movq	16(%rsi), %rdx
	movq	%rdx, 16(%rbx,%rcx,8)
	movups	(%rsi), %xmm0
	movups	%xmm0, (%rbx,%rcx,8)
	.loc	0 88 16
	movq	-48(%rbp), %rcx
	movq	%rcx, 16(%rsi)
	movaps	-64(%rbp), %xmm0
	movups	%xmm0, (%rsi)
	.loc	0 89 5 epilogue_begin
	addq	$56, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp8:
.Lfunc_end3:
	.size	part, .Lfunc_end3-part
	.cfi_endproc
	.globl	insertion
	.p2align	4, 0x90
	.type	insertion,@function
insertion:
.Lprobe_base5:
.Lfunc_begin4:
	.cfi_startproc
.Lprobe24:
.Lprobe25:
	.loc	0 95 19 prologue_end discriminator 2
	cmpl	$2, %esi
	.loc	0 95 5 is_stmt 0 discriminator 2
	jl	.LBB4_8
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$56, %rsp
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdx, %rbx
	.loc	0 95 19 discriminator 2
	movl	%esi, %eax
	movq	%rax, -56(%rbp)
	movl	$1, %r14d
	leaq	-96(%rbp), %r15
	movq	%rdi, %r12
	movq	%rdi, -48(%rbp)
	jmp	.LBB4_2
	.p2align	4, 0x90
.LBB4_5:
	.loc	0 0 19
	xorl	%r13d, %r13d
.LBB4_6:
	movq	-48(%rbp), %rdi
.Lprobe26:
.Lprobe27:
.Lprobe28:
	.loc	0 98 9 is_stmt 1
	movslq	%r13d, %rax
	leaq	(%rax,%rax,2), %rax
	.loc	0 98 16 is_stmt 0
	movq	-80(%rbp), %rcx
	movq	%rcx, 16(%rdi,%rax,8)
	movaps	-96(%rbp), %xmm0
	movups	%xmm0, (%rdi,%rax,8)
	.loc	0 95 25 is_stmt 1 discriminator 4
	incq	%r14
	movq	-64(%rbp), %r12
	.loc	0 95 5 is_stmt 0 discriminator 2
	addq	$24, %r12
	.loc	0 95 19 discriminator 2
	cmpq	-56(%rbp), %r14
	.loc	0 95 5 discriminator 2
	je	.LBB4_7
.LBB4_2:
.Lprobe29:
.Lprobe30:
	.loc	0 96 25 is_stmt 1
	leaq	(%r14,%r14,2), %rax
	movq	16(%rdi,%rax,8), %rcx
	movq	%rcx, -80(%rbp)
	movups	(%rdi,%rax,8), %xmm0
	movaps	%xmm0, -96(%rbp)
	movq	%r12, -64(%rbp)
	movq	%r14, %r13
	.p2align	4, 0x90
.LBB4_3:
.Lprobe31:
.Lprobe32:
	.loc	0 97 30 discriminator 388104247
	movq	%r15, %rdi
	movq	%r12, %rsi
.Lprobe33:
	callq	*%rbx
.Ltmp9:
	.loc	0 97 27 is_stmt 0 discriminator 4
	testl	%eax, %eax
	.loc	0 97 9 discriminator 6
	je	.LBB4_6
	.loc	0 97 0
	leaq	24(%r12), %rax
.Lprobe34:
.Lprobe35:
.Lprobe36:
	.loc	0 97 63 discriminator 8
	movq	16(%r12), %rcx
	movq	%rcx, 16(%rax)
	movups	(%r12), %xmm0
	movups	%xmm0, (%rax)
	.loc	0 97 52 discriminator 10
	leaq	-1(%r13), %rax
	.loc	0 97 23 discriminator 2
	addq	$-24, %r12
	cmpq	$1, %r13
	movq	%rax, %r13
	.loc	0 97 27 discriminator 2
	jg	.LBB4_3
	jmp	.LBB4_5
.LBB4_7:
	.loc	0 0 27
	addq	$56, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbx
	.cfi_restore %r12
	.cfi_restore %r13
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_restore %rbp
.LBB4_8:
.Lprobe37:
	.loc	0 100 1 is_stmt 1
	retq
.Ltmp10:
.Lfunc_end4:
	.size	insertion, .Lfunc_end4-insertion
	.cfi_endproc
	.globl	sort
	.p2align	4, 0x90
	.type	sort,@function
sort:
.Lprobe_base6:
.Lfunc_begin5:
	.loc	0 103 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r12
	pushq	%rbx
	.cfi_offset %rbx, -48
	.cfi_offset %r12, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdx, %rbx
	movl	%esi, %r15d
	movq	%rdi, %r14
.Lprobe38:
.Lprobe39:
.Ltmp11:
	.loc	0 104 14 prologue_end discriminator 2
	cmpl	$13, %esi
	.loc	0 104 5 is_stmt 0 discriminator 2
	jge	.LBB5_2
	.loc	0 0 5
	movl	%r15d, %r12d
	.loc	0 104 5 discriminator 2
	jmp	.LBB5_6
	.p2align	4, 0x90
.LBB5_4:
.Lprobe40:
	.loc	0 111 20 is_stmt 1
	movslq	%r12d, %rax
	leaq	(%rax,%rax,2), %rax
	.loc	0 111 25 is_stmt 0
	leaq	(%r14,%rax,8), %rdi
	addq	$24, %rdi
	.loc	0 111 13 discriminator 455082055
	movq	%rbx, %rdx
.Lprobe41:
	callq	sort
.Ltmp12:
	.loc	0 0 13
	movl	%r12d, %r15d
.Lprobe42:
.Lprobe43:
	.loc	0 104 14 is_stmt 1 discriminator 2
	cmpl	$12, %r12d
	.loc	0 104 5 is_stmt 0 discriminator 2
	jle	.LBB5_6
.LBB5_2:
.Lprobe44:
	.loc	0 105 24 is_stmt 1 discriminator 455082023
	movq	%r14, %rdi
	movl	%r15d, %esi
	movq	%rbx, %rdx
.Lprobe45:
	callq	part
.Ltmp13:
	movl	%eax, %r12d
	.loc	0 106 25
	movl	%eax, %esi
	notl	%esi
	addl	%r15d, %esi
	.loc	0 106 16 is_stmt 0
	cmpl	%esi, %eax
	.loc	0 106 13
	jge	.LBB5_4
.Lprobe46:
	.loc	0 107 13 is_stmt 1 discriminator 455082039
	movq	%r14, %rdi
	movl	%r12d, %esi
	movq	%rbx, %rdx
.Lprobe47:
	callq	sort
.Ltmp14:
	.loc	0 108 21
	incl	%r12d
	.loc	0 108 15 is_stmt 0
	movslq	%r12d, %rax
	leaq	(%rax,%rax,2), %rcx
	leaq	(%r14,%rcx,8), %r14
	.loc	0 109 15 is_stmt 1
	subl	%eax, %r15d
	movl	%r15d, %r12d
.Lprobe48:
.Lprobe49:
	.loc	0 104 14 discriminator 2
	cmpl	$12, %r12d
	.loc	0 104 5 is_stmt 0 discriminator 2
	jg	.LBB5_2
.LBB5_6:
.Lprobe50:
	.loc	0 115 5 is_stmt 1 discriminator 455082079
	movq	%r14, %rdi
	movl	%r12d, %esi
	movq	%rbx, %rdx
.Lprobe51:
	callq	insertion
.Ltmp15:
	.loc	0 116 1 epilogue_begin
	popq	%rbx
	popq	%r12
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp16:
.Lfunc_end5:
	.size	sort, .Lfunc_end5-sort
	.cfi_endproc
	.globl	report_by_price
	.p2align	4, 0x90
	.type	report_by_price,@function
report_by_price:
.Lprobe_base7:
.Lfunc_begin6:
	.loc	0 119 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r14
	pushq	%rbx
	.cfi_offset %rbx, -32
	.cfi_offset %r14, -24
	movl	%esi, %ebx
	movq	%rdi, %r14
.Lprobe52:
.Ltmp17:
	.loc	0 120 5 prologue_end discriminator 455082007
	leaq	less_price(%rip), %rdx
.Lprobe53:
	callq	sort
.Ltmp18:
	.loc	0 121 55
	movl	12(%r14), %esi
	.loc	0 121 76 is_stmt 0
	movl	%ebx, %eax
	shrl	$31, %eax
	addl	%ebx, %eax
	sarl	%eax
	.loc	0 121 72
	cltq
	.loc	0 121 81
	leaq	(%rax,%rax,2), %rax
	movl	12(%r14,%rax,8), %edx
	.loc	0 121 5 discriminator 455082015
	leaq	.L.str(%rip), %rdi
	xorl	%eax, %eax
.Lprobe54:
	callq	printf@PLT
.Ltmp19:
	.loc	0 122 1 epilogue_begin is_stmt 1
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp20:
.Lfunc_end6:
	.size	report_by_price, .Lfunc_end6-report_by_price
	.cfi_endproc
	.file	1 "/usr/include" "stdio.h"
	.globl	report_by_customer
	.p2align	4, 0x90
	.type	report_by_customer,@function
report_by_customer:
.Lprobe_base8:
.Lfunc_begin7:
	.loc	0 125 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r14
	pushq	%rbx
	.cfi_offset %rbx, -32
	.cfi_offset %r14, -24
	movl	%esi, %ebx
	movq	%rdi, %r14
.Lprobe55:
.Ltmp21:
	.loc	0 126 5 prologue_end discriminator 455082007
	leaq	less_customer(%rip), %rdx
.Lprobe56:
	callq	sort
.Ltmp22:
	.loc	0 127 50
	movslq	%ebx, %rax
	leaq	(%rax,%rax,2), %rax
	leaq	(%r14,%rax,8), %rdx
	addq	$-24, %rdx
	.loc	0 127 5 is_stmt 0 discriminator 455082015
	leaq	.L.str.1(%rip), %rdi
	movq	%r14, %rsi
	xorl	%eax, %eax
.Lprobe57:
	callq	printf@PLT
.Ltmp23:
	.loc	0 128 1 epilogue_begin is_stmt 1
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp24:
.Lfunc_end7:
	.size	report_by_customer, .Lfunc_end7-report_by_customer
	.cfi_endproc
	.globl	evaluate
	.p2align	4, 0x90
	.type	evaluate,@function
evaluate:
.Lprobe_base9:
.Lfunc_begin8:
	.loc	0 131 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Ltmp25:
	pushq	%r15
	pushq	%r14
	pushq	%r12
	pushq	%rbx
	.cfi_offset %rbx, -48
	.cfi_offset %r12, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
.Lprobe58:
	.loc	0 133 16 prologue_end
	movl	(%rdi), %r15d
	.loc	0 133 5 is_stmt 0
	cmpl	$112, %r15d
	je	.LBB8_4
	cmpl	$97, %r15d
	je	.LBB8_5
	cmpl	$35, %r15d
	jne	.LBB8_6
.Lprobe59:
	.loc	0 134 25 is_stmt 1
	movl	4(%rdi), %eax
	.loc	0 134 15 is_stmt 0
	jmp	.LBB8_13
.LBB8_5:
.Lprobe60:
	.loc	0 136 25 is_stmt 1
	movl	16(%rsi), %eax
	.loc	0 136 15 is_stmt 0
	jmp	.LBB8_13
.LBB8_4:
.Lprobe61:
	.loc	0 135 25 is_stmt 1
	movl	12(%rsi), %eax
.LBB8_13:
.Lprobe62:
	.loc	0 147 1 epilogue_begin
	popq	%rbx
	popq	%r12
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.LBB8_6:
	.cfi_def_cfa %rbp, 16
.Lprobe63:
.Lprobe64:
	.loc	0 139 21
	movq	8(%rdi), %rax
	movq	%rdi, %r12
	.loc	0 139 9 is_stmt 0 discriminator 455082047
	movq	%rax, %rdi
	movq	%rsi, %r14
.Lprobe65:
	callq	evaluate
.Ltmp26:
	movl	%eax, %ebx
	.loc	0 140 21 is_stmt 1
	movq	16(%r12), %rdi
	.loc	0 140 9 is_stmt 0 discriminator 455082055
	movq	%r14, %rsi
.Lprobe66:
	callq	evaluate
.Ltmp27:
	.loc	0 141 5 is_stmt 1
	cmpl	$42, %r15d
	je	.LBB8_11
	cmpl	$45, %r15d
	je	.LBB8_10
	cmpl	$43, %r15d
	jne	.LBB8_12
.Lprobe67:
	.loc	0 142 24
	addl	%ebx, %eax
	.loc	0 142 15 is_stmt 0
	jmp	.LBB8_13
.LBB8_10:
.Lprobe68:
	.loc	0 143 24 is_stmt 1
	subl	%eax, %ebx
	movl	%ebx, %eax
	.loc	0 143 15 is_stmt 0
	jmp	.LBB8_13
.LBB8_11:
.Lprobe69:
	.loc	0 144 24 is_stmt 1
	imull	%ebx, %eax
	.loc	0 144 15 is_stmt 0
	jmp	.LBB8_13
.LBB8_12:
.Lprobe70:
.Lprobe71:
	.loc	0 145 21 is_stmt 1
	cmpl	%eax, %ebx
	cmovbl	%ebx, %eax
	jmp	.LBB8_13
.Ltmp28:
.Lfunc_end8:
	.size	evaluate, .Lfunc_end8-evaluate
	.cfi_endproc
	.globl	price_orders
	.p2align	4, 0x90
	.type	price_orders,@function
price_orders:
.Lprobe_base10:
.Lfunc_begin9:
	.cfi_startproc
.Lprobe72:
.Lprobe73:
	.loc	0 158 19 prologue_end discriminator 2
	testl	%esi, %esi
	.loc	0 158 5 is_stmt 0 discriminator 2
	jle	.LBB9_4
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%rbx
	pushq	%rax
	.cfi_offset %rbx, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdi, %rbx
	.loc	0 158 19 discriminator 2
	movl	%esi, %r15d
	leaq	price_orders.total(%rip), %r14
	.p2align	4, 0x90
.LBB9_2:
.Lprobe74:
.Lprobe75:
.Lprobe76:
	.loc	0 158 42 discriminator 455213095
	movq	%r14, %rdi
	movq	%rbx, %rsi
.Lprobe77:
	callq	evaluate
.Ltmp29:
	.loc	0 158 40 discriminator 4
	movl	%eax, 20(%rbx)
	.loc	0 158 19 discriminator 2
	addq	$24, %rbx
	decq	%r15
	.loc	0 158 5 discriminator 2
	jne	.LBB9_2
	.loc	0 0 5
	addq	$8, %rsp
	popq	%rbx
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbx
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_restore %rbp
.LBB9_4:
.Lprobe78:
	.loc	0 159 1 is_stmt 1
	retq
.Ltmp30:
.Lfunc_end9:
	.size	price_orders, .Lfunc_end9-price_orders
	.cfi_endproc
	.globl	pack
	.p2align	4, 0x90
	.type	pack,@function
pack:
.Lprobe_base11:
.Lfunc_begin10:
	.cfi_startproc
.Lprobe79:
.Lprobe80:
	.loc	0 165 14 prologue_end discriminator 2
	testl	%esi, %esi
	.loc	0 165 5 is_stmt 0 discriminator 2
	jle	.LBB10_17
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rbx
	.cfi_offset %rbx, -24
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	jmp	.LBB10_5
.LBB10_2:
	.loc	0 0 5
	movl	$66, %r8d
.LBB10_3:
.Lprobe81:
	.loc	0 168 27 is_stmt 1
	leal	-67(%r8), %r10d
	.loc	0 168 13 is_stmt 0
	movslq	%eax, %r11
	.loc	0 168 25
	movb	%r10b, (%rdx,%r11)
	.loc	0 169 27 is_stmt 1
	movzbl	(%r9), %r9d
	.loc	0 169 21 is_stmt 0
	addl	$2, %eax
	.loc	0 169 25
	movb	%r9b, 1(%rdx,%r11)
.LBB10_4:
.Lprobe82:
.Lprobe83:
	.loc	0 174 11 is_stmt 1
	addl	%r8d, %ecx
	.loc	0 165 14 discriminator 2
	cmpl	%esi, %ecx
	.loc	0 165 5 is_stmt 0 discriminator 2
	jge	.LBB10_16
.LBB10_5:
.Lprobe84:
	.loc	0 0 5
	movl	%ecx, %ecx
	leaq	(%rdi,%rcx), %r9
	movl	$1, %r8d
	movl	$2, %r10d
	.p2align	4, 0x90
.LBB10_6:
.Lprobe85:
	.loc	0 166 43 is_stmt 1 discriminator 516
	leal	(%rcx,%r8), %r11d
	cmpl	%esi, %r11d
	.loc	0 166 47 is_stmt 0 discriminator 516
	jge	.LBB10_13
.Lprobe86:
.Lprobe87:
	.loc	0 166 65 discriminator 518
	movzbl	(%r9), %r11d
	.loc	0 166 62 discriminator 518
	cmpb	%r11b, (%r9,%r8)
	.loc	0 166 9 discriminator 520
	jne	.LBB10_13
.Lprobe88:
.Lprobe89:
.Lprobe90:
	.loc	0 166 27 discriminator 514
	cmpq	$66, %r10
	.loc	0 166 32 discriminator 514
	je	.LBB10_2
.Lprobe91:
	.loc	0 166 43 discriminator 516
	leal	(%rcx,%r10), %ebx
	cmpl	%esi, %ebx
	.loc	0 166 47 discriminator 516
	jge	.LBB10_12
.Lprobe92:
.Lprobe93:
	.loc	0 166 62 discriminator 518
	cmpb	%r11b, 1(%r9,%r8)
	.loc	0 166 9 discriminator 520
	jne	.LBB10_15
.Lprobe94:
.Lprobe95:
.Lprobe96:
	.loc	0 166 75 discriminator 524
	addq	$2, %r8
	addq	$2, %r10
	jmp	.LBB10_6
.LBB10_12:
	.loc	0 166 0
	incq	%r8
	.p2align	4, 0x90
.LBB10_13:
.Lprobe97:
	.loc	0 167 17 is_stmt 1
	cmpq	$3, %r8
	.loc	0 167 13 is_stmt 0
	jae	.LBB10_3
.LBB10_14:
.Lprobe98:
	.loc	0 172 27 is_stmt 1
	movzbl	(%r9), %r8d
	.loc	0 172 13 is_stmt 0
	movslq	%eax, %r9
	.loc	0 172 21
	incl	%eax
	.loc	0 172 25
	movb	%r8b, (%rdx,%r9)
	movl	$1, %r8d
	jmp	.LBB10_4
.LBB10_15:
	.loc	0 0 25
	movq	%r10, %r8
.Lprobe99:
	.loc	0 167 17 is_stmt 1
	cmpq	$3, %r8
	.loc	0 167 13 is_stmt 0
	jae	.LBB10_3
	jmp	.LBB10_14
.LBB10_16:
	.loc	0 0 13
	popq	%rbx
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbx
	.cfi_restore %rbp
.Lprobe100:
	.loc	0 176 5 is_stmt 1
	retq
.LBB10_17:
	.loc	0 0 5 is_stmt 0
	xorl	%eax, %eax
.Lprobe101:
	.loc	0 176 5
	retq
.Ltmp31:
.Lfunc_end10:
	.size	pack, .Lfunc_end10-pack
	.cfi_endproc
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI11_0:
	.zero	16,32
	.text
	.globl	pack_text
	.p2align	4, 0x90
	.type	pack_text,@function
pack_text:
.Lprobe_base12:
.Lfunc_begin11:
	.loc	0 180 0 is_stmt 1
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Ltmp32:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$24, %rsp
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
.Lprobe102:
.Lprobe103:
	.loc	0 183 19 prologue_end discriminator 2
	testl	%esi, %esi
	.loc	0 183 5 is_stmt 0 discriminator 2
	jle	.LBB11_1
	.loc	0 0 5
	movq	%rdx, %rbx
	movq	%rdi, %r14
	.loc	0 183 19 discriminator 2
	movl	%esi, %r13d
	xorl	%r15d, %r15d
	leaq	-64(%rbp), %r12
	.p2align	4, 0x90
.LBB11_3:
.Lprobe104:
.Lprobe105:
.Lprobe106:
	.loc	0 184 9 is_stmt 1
	movabsq	$2314885530818453536, %rax
	movq	%rax, -48(%rbp)
	movaps	.LCPI11_0(%rip), %xmm0
	movaps	%xmm0, -64(%rbp)
	.loc	0 185 37 discriminator 455082023
	movq	%r14, %rdi
.Lprobe107:
	callq	strlen@PLT
.Ltmp33:
	.loc	0 185 9 is_stmt 0
	movq	%r12, %rdi
	movq	%r14, %rsi
	movq	%rax, %rdx
	callq	memcpy@PLT
.Ltmp34:
	.loc	0 186 60 is_stmt 1
	movl	20(%r14), %eax
	.loc	0 186 66 is_stmt 0
	movq	%rax, %rcx
	movl	$3435973837, %edx
	imulq	%rdx, %rcx
	shrq	$35, %rcx
	addl	%ecx, %ecx
	leal	(%rcx,%rcx,4), %ecx
	subl	%ecx, %eax
	.loc	0 186 33
	orb	$48, %al
	.loc	0 186 31
	movb	%al, -41(%rbp)
	.loc	0 187 50 is_stmt 1
	movslq	%r15d, %r15
	leaq	(%rbx,%r15), %rdx
	.loc	0 187 17 is_stmt 0 discriminator 455082031
	movq	%r12, %rdi
	movl	$24, %esi
.Lprobe108:
	callq	pack
.Ltmp35:
	.loc	0 187 14
	addl	%eax, %r15d
	.loc	0 183 19 is_stmt 1 discriminator 2
	addq	$24, %r14
	decq	%r13
	.loc	0 183 5 is_stmt 0 discriminator 2
	jne	.LBB11_3
	jmp	.LBB11_4
.LBB11_1:
	.loc	0 0 5
	xorl	%r15d, %r15d
.LBB11_4:
.Lprobe109:
	.loc	0 189 5 is_stmt 1
	movl	%r15d, %eax
	.loc	0 189 5 epilogue_begin is_stmt 0
	addq	$24, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp36:
.Lfunc_end11:
	.size	pack_text, .Lfunc_end11-pack_text
	.cfi_endproc
	.file	2 "/usr/include" "string.h"
	.globl	pack_noise
	.p2align	4, 0x90
	.type	pack_noise,@function
pack_noise:
.Lprobe_base13:
.Lfunc_begin12:
	.loc	0 193 0 is_stmt 1
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Ltmp37:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$24, %rsp
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
.Lprobe110:
.Lprobe111:
	.loc	0 196 19 prologue_end discriminator 2
	testl	%esi, %esi
	.loc	0 196 5 is_stmt 0 discriminator 2
	jle	.LBB12_1
	.loc	0 0 5
	movq	%rdx, %rbx
	movl	%esi, %r14d
	movq	%rdi, %r12
	xorl	%r15d, %r15d
	xorl	%r13d, %r13d
	.p2align	4, 0x90
.LBB12_3:
.Lprobe112:
	movl	(%r12), %ecx
	movl	$1, %eax
	.p2align	4, 0x90
.LBB12_4:
.Lprobe113:
.Lprobe114:
.Lprobe115:
.Lprobe116:
.Lprobe117:
.Lprobe118:
.Lprobe119:
.Lprobe120:
.Ltmp38:
	.loc	0 52 12 is_stmt 1 discriminator 9
	movl	%ecx, %edx
	shll	$13, %edx
	.loc	0 52 7 is_stmt 0 discriminator 9
	xorl	%ecx, %edx
	.loc	0 53 12 is_stmt 1 discriminator 9
	movl	%edx, %ecx
	shrl	$17, %ecx
	.loc	0 53 7 is_stmt 0 discriminator 9
	xorl	%edx, %ecx
	.loc	0 54 12 is_stmt 1 discriminator 9
	movl	%ecx, %edx
	shll	$5, %edx
	.loc	0 54 7 is_stmt 0 discriminator 9
	xorl	%ecx, %edx
	.loc	0 52 12 is_stmt 1 discriminator 9
	movl	%edx, %ecx
	shll	$13, %ecx
	.loc	0 52 7 is_stmt 0 discriminator 9
	xorl	%edx, %ecx
.Ltmp39:
	.loc	0 197 85 is_stmt 1 discriminator 516
	shrl	$7, %edx
	.loc	0 197 56 is_stmt 0 discriminator 516
	movb	%dl, -65(%rbp,%rax)
.Ltmp40:
	.loc	0 53 12 is_stmt 1 discriminator 9
	movl	%ecx, %edx
	shrl	$17, %edx
	.loc	0 53 7 is_stmt 0 discriminator 9
	xorl	%ecx, %edx
	.loc	0 54 12 is_stmt 1 discriminator 9
	movl	%edx, %ecx
	shll	$5, %ecx
	.loc	0 54 7 is_stmt 0 discriminator 9
	xorl	%edx, %ecx
.Ltmp41:
	.loc	0 197 85 is_stmt 1 discriminator 516
	movl	%ecx, %edx
	shrl	$7, %edx
	.loc	0 197 56 is_stmt 0 discriminator 516
	movb	%dl, -64(%rbp,%rax)
	.loc	0 197 23 discriminator 514
	addq	$2, %rax
	cmpq	$25, %rax
	.loc	0 197 9 discriminator 514
	jne	.LBB12_4
.Lprobe121:
.Lprobe122:
.Lprobe123:
.Ltmp42:
	.loc	0 0 0
	movl	%ecx, (%r12)
.Ltmp43:
	.loc	0 198 50 is_stmt 1
	movslq	%r15d, %r15
	leaq	(%rbx,%r15), %rdx
	.loc	0 198 17 is_stmt 0 discriminator 455082063
	leaq	-64(%rbp), %rdi
	movl	$24, %esi
.Lprobe124:
	callq	pack
.Ltmp44:
	.loc	0 198 14
	addl	%eax, %r15d
	.loc	0 196 25 is_stmt 1 discriminator 4
	incl	%r13d
	.loc	0 196 19 is_stmt 0 discriminator 2
	cmpl	%r14d, %r13d
	.loc	0 196 5 discriminator 2
	jne	.LBB12_3
	jmp	.LBB12_6
.LBB12_1:
	.loc	0 0 5
	xorl	%r15d, %r15d
.LBB12_6:
.Lprobe125:
	.loc	0 200 5 is_stmt 1
	movl	%r15d, %eax
	.loc	0 200 5 epilogue_begin is_stmt 0
	addq	$24, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp45:
.Lfunc_end12:
	.size	pack_noise, .Lfunc_end12-pack_noise
	.cfi_endproc
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI13_0:
	.zero	16
	.text
	.globl	make_orders
	.p2align	4, 0x90
	.type	make_orders,@function
make_orders:
.Lprobe_base14:
.Lfunc_begin13:
	.cfi_startproc
.Lprobe126:
.Lprobe127:
	.loc	0 207 19 prologue_end is_stmt 1 discriminator 2
	testl	%esi, %esi
	.loc	0 207 5 is_stmt 0 discriminator 2
	jle	.LBB13_4
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r12
	pushq	%rbx
	.cfi_offset %rbx, -48
	.cfi_offset %r12, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdx, %rbx
	movq	%rdi, %r14
	.loc	0 207 19 discriminator 2
	movl	%esi, %r15d
	leaq	make_orders.names.rel(%rip), %r12
	.p2align	4, 0x90
.LBB13_2:
.Lprobe128:
.Lprobe129:
.Lprobe130:
.Lprobe131:
.Lprobe132:
.Lprobe133:
	.loc	0 208 9 is_stmt 1
	xorps	%xmm0, %xmm0
	movups	%xmm0, (%r14)
	movq	$0, 16(%r14)
.Ltmp46:
	.loc	0 51 18
	movl	(%rbx), %eax
	.loc	0 52 12
	movl	%eax, %ecx
	shll	$13, %ecx
	.loc	0 52 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 53 12 is_stmt 1
	movl	%ecx, %eax
	shrl	$17, %eax
	.loc	0 53 7 is_stmt 0
	xorl	%ecx, %eax
	.loc	0 54 12 is_stmt 1
	movl	%eax, %ecx
	shll	$5, %ecx
	.loc	0 54 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 55 19 is_stmt 1
	movl	%ecx, (%rbx)
.Ltmp47:
	.loc	0 209 31
	shrl	$11, %ecx
	andl	$28, %ecx
	movslq	(%rcx,%r12), %rsi
	addq	%r12, %rsi
	.loc	0 209 9 is_stmt 0 discriminator 455147567
	movq	%r14, %rdi
.Lprobe134:
	callq	strcpy@PLT
.Ltmp48:
	.loc	0 51 18 is_stmt 1
	movl	(%rbx), %eax
	.loc	0 52 12
	movl	%eax, %ecx
	shll	$13, %ecx
	.loc	0 52 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 53 12 is_stmt 1
	movl	%ecx, %eax
	shrl	$17, %eax
	.loc	0 53 7 is_stmt 0
	xorl	%ecx, %eax
	.loc	0 54 12 is_stmt 1
	movl	%eax, %ecx
	shll	$5, %ecx
	.loc	0 54 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 55 19 is_stmt 1
	movl	%ecx, (%rbx)
.Ltmp49:
	.loc	0 210 38
	shrl	$9, %ecx
	.loc	0 210 44 is_stmt 0
	imulq	$4772186, %rcx, %rax
	shrq	$32, %rax
	imull	$900, %eax, %eax
	.loc	0 210 24
	negl	%eax
	addl	%ecx, %eax
	incl	%eax
	.loc	0 210 20
	movl	%eax, 12(%r14)
.Ltmp50:
	.loc	0 51 18 is_stmt 1
	movl	(%rbx), %eax
	.loc	0 52 12
	movl	%eax, %ecx
	shll	$13, %ecx
	.loc	0 52 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 53 12 is_stmt 1
	movl	%ecx, %eax
	shrl	$17, %eax
	.loc	0 53 7 is_stmt 0
	xorl	%ecx, %eax
	.loc	0 54 12 is_stmt 1
	movl	%eax, %ecx
	shll	$5, %ecx
	.loc	0 54 7 is_stmt 0
	xorl	%eax, %ecx
	.loc	0 55 19 is_stmt 1
	movl	%ecx, (%rbx)
.Ltmp51:
	.loc	0 211 38
	imulq	$954437177, %rcx, %rax
	shrq	$33, %rax
	leal	(%rax,%rax,8), %eax
	.loc	0 211 25 is_stmt 0
	negl	%eax
	addl	%ecx, %eax
	incl	%eax
	.loc	0 211 21
	movl	%eax, 16(%r14)
	.loc	0 207 19 is_stmt 1 discriminator 2
	addq	$24, %r14
	decq	%r15
	.loc	0 207 5 is_stmt 0 discriminator 2
	jne	.LBB13_2
	.loc	0 0 5
	popq	%rbx
	popq	%r12
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbx
	.cfi_restore %r12
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_restore %rbp
.LBB13_4:
.Lprobe135:
	.loc	0 213 1 is_stmt 1
	retq
.Ltmp52:
.Lfunc_end13:
	.size	make_orders, .Lfunc_end13-make_orders
	.cfi_endproc
	.globl	main
	.p2align	4, 0x90
	.type	main,@function
main:
.Lprobe_base15:
.Lfunc_begin14:
	.loc	0 216 0
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Ltmp53:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	pushq	%rax
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
.Lprobe136:
.Lprobe137:
.Lprobe138:
.Lprobe139:
.Lprobe140:
.Lprobe141:
.Lprobe142:
.Lprobe143:
.Lprobe144:
	.loc	0 219 14 prologue_end
	movl	$-1831433054, -44(%rbp)
	.loc	0 223 9 discriminator 455082023
	leaq	main.orders(%rip), %r14
	leaq	-44(%rbp), %rbx
	movq	%r14, %rdi
	movl	$500, %esi
	movq	%rbx, %rdx
.Lprobe145:
	callq	make_orders
.Ltmp54:
	.loc	0 224 9 discriminator 455082031
	movq	%r14, %rdi
	movl	$500, %esi
.Lprobe146:
	callq	report_by_price
.Ltmp55:
	.loc	0 225 9 discriminator 455082039
	movq	%r14, %rdi
	movl	$500, %esi
.Lprobe147:
	callq	price_orders
.Ltmp56:
	.loc	0 226 9 discriminator 455082047
	movq	%r14, %rdi
	movl	$500, %esi
.Lprobe148:
	callq	report_by_customer
.Ltmp57:
	.loc	0 227 32 discriminator 455082055
	leaq	main.out(%rip), %r15
	movq	%r14, %rdi
	movl	$500, %esi
	movq	%r15, %rdx
.Lprobe149:
	callq	pack_text
.Ltmp58:
	.loc	0 227 17 is_stmt 0 discriminator 9
	movslq	%eax, %r13
	.loc	0 228 33 is_stmt 1 discriminator 455082063
	movq	%rbx, %rdi
	movl	$250, %esi
	movq	%r15, %rdx
.Lprobe150:
	callq	pack_noise
.Ltmp59:
	.loc	0 228 18 is_stmt 0 discriminator 9
	movslq	%eax, %r12
	.loc	0 223 9 is_stmt 1 discriminator 455082023
	movq	%r14, %rdi
	movl	$500, %esi
	movq	%rbx, %rdx
.Lprobe151:
	callq	make_orders
.Ltmp60:
	.loc	0 224 9 discriminator 455082031
	movq	%r14, %rdi
	movl	$500, %esi
.Lprobe152:
	callq	report_by_price
.Ltmp61:
	.loc	0 225 9 discriminator 455082039
	movq	%r14, %rdi
	movl	$500, %esi
.Lprobe153:
	callq	price_orders
.Ltmp62:
	.loc	0 226 9 discriminator 455082047
	movq	%r14, %rdi
	movl	$500, %esi
.Lprobe154:
	callq	report_by_customer
.Ltmp63:
	.loc	0 227 32 discriminator 455082055
	movq	%r14, %rdi
	movl	$500, %esi
	movq	%r15, %rdx
.Lprobe155:
	callq	pack_text
.Ltmp64:
	.loc	0 227 17 is_stmt 0 discriminator 9
	movslq	%eax, %r14
	.loc	0 227 14 discriminator 9
	addq	%r13, %r14
	.loc	0 228 33 is_stmt 1 discriminator 455082063
	movq	%rbx, %rdi
	movl	$250, %esi
	movq	%r15, %rdx
.Lprobe156:
	callq	pack_noise
.Ltmp65:
	.loc	0 228 18 is_stmt 0 discriminator 9
	movslq	%eax, %rdx
	.loc	0 228 15 discriminator 9
	addq	%r12, %rdx
	.loc	0 230 5 is_stmt 1 discriminator 455082087
	leaq	.L.str.10(%rip), %rdi
	movq	%r14, %rsi
	xorl	%eax, %eax
.Lprobe157:
	callq	printf@PLT
.Ltmp66:
	.loc	0 231 5
	xorl	%eax, %eax
	.loc	0 231 5 epilogue_begin is_stmt 0
	addq	$8, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp67:
.Lfunc_end14:
	.size	main, .Lfunc_end14-main
	.cfi_endproc
	.type	.L.str,@object
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.asciz	"cheapest %u, median %u\n"
	.size	.L.str, 24
	.type	.L.str.1,@object
.L.str.1:
	.asciz	"first %s, last %s\n"
	.size	.L.str.1, 19
	.type	price_orders.price,@object
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
price_orders.price:
.Lprobe_base16:
	.long	112
	.long	0
	.quad	0
	.quad	0
	.size	price_orders.price, 24
	.type	price_orders.amount,@object
	.p2align	3, 0x0
price_orders.amount:
.Lprobe_base17:
	.long	97
	.long	0
	.quad	0
	.quad	0
	.size	price_orders.amount, 24
	.type	price_orders.two,@object
	.p2align	3, 0x0
price_orders.two:
.Lprobe_base18:
	.long	35
	.long	2
	.quad	0
	.quad	0
	.size	price_orders.two, 24
	.type	price_orders.most,@object
	.p2align	3, 0x0
price_orders.most:
.Lprobe_base19:
	.long	35
	.long	500
	.quad	0
	.quad	0
	.size	price_orders.most, 24
	.type	price_orders.fee,@object
	.p2align	3, 0x0
price_orders.fee:
.Lprobe_base20:
	.long	35
	.long	3
	.quad	0
	.quad	0
	.size	price_orders.fee, 24
	.type	price_orders.gross,@object
	.section	.data.rel.ro,"aw",@progbits
	.p2align	3, 0x0
price_orders.gross:
.Lprobe_base21:
	.long	42
	.long	0
	.quad	price_orders.price
	.quad	price_orders.amount
	.size	price_orders.gross, 24
	.type	price_orders.twice,@object
	.p2align	3, 0x0
price_orders.twice:
.Lprobe_base22:
	.long	42
	.long	0
	.quad	price_orders.price
	.quad	price_orders.two
	.size	price_orders.twice, 24
	.type	price_orders.rebate,@object
	.p2align	3, 0x0
price_orders.rebate:
.Lprobe_base23:
	.long	109
	.long	0
	.quad	price_orders.twice
	.quad	price_orders.most
	.size	price_orders.rebate, 24
	.type	price_orders.net,@object
	.p2align	3, 0x0
price_orders.net:
.Lprobe_base24:
	.long	45
	.long	0
	.quad	price_orders.gross
	.quad	price_orders.rebate
	.size	price_orders.net, 24
	.type	price_orders.total,@object
	.p2align	3, 0x0
price_orders.total:
.Lprobe_base25:
	.long	43
	.long	0
	.quad	price_orders.net
	.quad	price_orders.fee
	.size	price_orders.total, 24
	.type	make_orders.names.rel,@object
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
make_orders.names.rel:
.Lprobe_base26:
	.long	.L.str.2-make_orders.names.rel
	.long	.L.str.3-make_orders.names.rel
	.long	.L.str.4-make_orders.names.rel
	.long	.L.str.5-make_orders.names.rel
	.long	.L.str.6-make_orders.names.rel
	.long	.L.str.7-make_orders.names.rel
	.long	.L.str.8-make_orders.names.rel
	.long	.L.str.9-make_orders.names.rel
	.size	make_orders.names.rel, 32
	.type	.L.str.2,@object
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.2:
	.asciz	"adams"
	.size	.L.str.2, 6
	.type	.L.str.3,@object
.L.str.3:
	.asciz	"baker"
	.size	.L.str.3, 6
	.type	.L.str.4,@object
.L.str.4:
	.asciz	"bakers"
	.size	.L.str.4, 7
	.type	.L.str.5,@object
.L.str.5:
	.asciz	"clark"
	.size	.L.str.5, 6
	.type	.L.str.6,@object
.L.str.6:
	.asciz	"clarke"
	.size	.L.str.6, 7
	.type	.L.str.7,@object
.L.str.7:
	.asciz	"davis"
	.size	.L.str.7, 6
	.type	.L.str.8,@object
.L.str.8:
	.asciz	"evans"
	.size	.L.str.8, 6
	.type	.L.str.9,@object
.L.str.9:
	.asciz	"frank"
	.size	.L.str.9, 6
	.type	main.orders,@object
	.local	main.orders
	.comm	main.orders,12000,16
	.type	main.out,@object
	.local	main.out
	.comm	main.out,12000,16
	.type	.L.str.10,@object
.L.str.10:
	.asciz	"packed: %lu bytes of text, %lu bytes of noise\n"
	.size	.L.str.10, 47
	.section	.pseudo_probe_desc,"",@progbits
	.quad	3726853560884672730
	.quad	4294967295
	.byte	3
	.ascii	"mix"
	.quad	-3880189981648016780
	.quad	4294967295
	.byte	10
	.ascii	"less_price"
	.quad	7575016425882428749
	.quad	281664826918016
	.byte	13
	.ascii	"less_customer"
	.quad	3744463923176851956
	.quad	281613033141248
	.byte	4
	.ascii	"part"
	.quad	-7555472174080072736
	.quad	281702227528207
	.byte	9
	.ascii	"insertion"
	.quad	8289196947039640778
	.quad	1126038038155658
	.byte	4
	.ascii	"sort"
	.quad	7007789542375851948
	.quad	562954248388607
	.byte	15
	.ascii	"report_by_price"
	.quad	3539302993248326209
	.quad	562954248388607
	.byte	18
	.ascii	"report_by_customer"
	.quad	7580080164582904468
	.quad	563293738783595
	.byte	8
	.ascii	"evaluate"
	.quad	-6080198023344021385
	.quad	281561395676419
	.byte	12
	.ascii	"price_orders"
	.quad	-276280877447281484
	.quad	311576685143
	.byte	4
	.ascii	"pack"
	.quad	831795231667200512
	.quad	563036051115663
	.byte	9
	.ascii	"pack_text"
	.quad	2153991502472664936
	.quad	563123548940643
	.byte	10
	.ascii	"pack_noise"
	.quad	-3007652238288574767
	.quad	1125989957062563
	.byte	11
	.ascii	"make_orders"
	.quad	-2624081020897602054
	.quad	1970412237346369
	.byte	4
	.ascii	"main"
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	115
	.byte	23
	.byte	116
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	46
	.byte	0
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	122
	.byte	25
	.byte	49
	.byte	19
	.byte	0
	.byte	0
	.byte	3
	.byte	46
	.byte	0
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	122
	.byte	25
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	0
	.byte	0
	.byte	4
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	122
	.byte	25
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	0
	.byte	0
	.byte	5
	.byte	72
	.byte	0
	.byte	127
	.byte	19
	.byte	125
	.byte	27
	.byte	0
	.byte	0
	.byte	6
	.byte	72
	.byte	0
	.ascii	"\203\001"
	.byte	24
	.byte	125
	.byte	27
	.byte	0
	.byte	0
	.byte	7
	.byte	46
	.byte	0
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	5
	.byte	39
	.byte	25
	.byte	60
	.byte	25
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	8
	.byte	46
	.byte	0
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	32
	.byte	33
	.byte	1
	.byte	0
	.byte	0
	.byte	9
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	85
	.byte	35
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.ascii	"\266B"
	.byte	6
	.byte	0
	.byte	0
	.byte	10
	.byte	29
	.byte	0
	.byte	49
	.byte	19
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	88
	.byte	11
	.byte	89
	.byte	11
	.byte	87
	.byte	11
	.ascii	"\266B"
	.byte	6
	.byte	0
	.byte	0
	.byte	11
	.byte	46
	.byte	0
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	39
	.byte	25
	.byte	60
	.byte	25
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	29
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.byte	0
	.long	.Lfunc_end14-.Lfunc_begin0
	.long	.Laddr_table_base0
	.long	.Lrnglists_table_base0
	.byte	2
	.byte	0
	.long	.Lfunc_end0-.Lfunc_begin0
	.long	259
	.byte	3
	.byte	1
	.long	.Lfunc_end1-.Lfunc_begin1
	.byte	7
	.byte	0
	.byte	58
	.byte	4
	.byte	2
	.long	.Lfunc_end2-.Lfunc_begin2
	.byte	8
	.byte	0
	.byte	63
	.byte	5
	.long	49
	.byte	3
	.byte	0
	.byte	4
	.byte	4
	.long	.Lfunc_end3-.Lfunc_begin3
	.byte	9
	.byte	0
	.byte	74
	.byte	6
	.byte	1
	.byte	94
	.byte	5
	.byte	0
	.byte	4
	.byte	6
	.long	.Lfunc_end4-.Lfunc_begin4
	.byte	10
	.byte	0
	.byte	92
	.byte	6
	.byte	1
	.byte	83
	.byte	7
	.byte	0
	.byte	4
	.byte	8
	.long	.Lfunc_end5-.Lfunc_begin5
	.byte	11
	.byte	0
	.byte	102
	.byte	5
	.long	102
	.byte	9
	.byte	5
	.long	74
	.byte	10
	.byte	5
	.long	102
	.byte	11
	.byte	5
	.long	88
	.byte	12
	.byte	0
	.byte	4
	.byte	13
	.long	.Lfunc_end6-.Lfunc_begin6
	.byte	12
	.byte	0
	.byte	118
	.byte	5
	.long	102
	.byte	14
	.byte	5
	.long	158
	.byte	15
	.byte	0
	.byte	7
	.byte	3
	.byte	1
	.short	356
	.byte	4
	.byte	16
	.long	.Lfunc_end7-.Lfunc_begin7
	.byte	13
	.byte	0
	.byte	124
	.byte	5
	.long	102
	.byte	17
	.byte	5
	.long	158
	.byte	18
	.byte	0
	.byte	4
	.byte	19
	.long	.Lfunc_end8-.Lfunc_begin8
	.byte	14
	.byte	0
	.byte	130
	.byte	5
	.long	185
	.byte	20
	.byte	5
	.long	185
	.byte	21
	.byte	0
	.byte	4
	.byte	22
	.long	.Lfunc_end9-.Lfunc_begin9
	.byte	15
	.byte	0
	.byte	150
	.byte	5
	.long	185
	.byte	23
	.byte	0
	.byte	3
	.byte	24
	.long	.Lfunc_end10-.Lfunc_begin10
	.byte	16
	.byte	0
	.byte	162
	.byte	4
	.byte	25
	.long	.Lfunc_end11-.Lfunc_begin11
	.byte	17
	.byte	0
	.byte	179
	.byte	5
	.long	254
	.byte	26
	.byte	5
	.long	223
	.byte	27
	.byte	0
	.byte	7
	.byte	4
	.byte	2
	.short	407
	.byte	8
	.byte	5
	.byte	0
	.byte	49
	.byte	4
	.byte	28
	.long	.Lfunc_end12-.Lfunc_begin12
	.byte	18
	.byte	0
	.byte	192
	.byte	9
	.long	259
	.byte	0
	.byte	0
	.byte	197
	.byte	74
	.long	455213111
	.byte	5
	.long	223
	.byte	29
	.byte	0
	.byte	4
	.byte	30
	.long	.Lfunc_end13-.Lfunc_begin13
	.byte	19
	.byte	0
	.byte	203
	.byte	10
	.long	259
	.byte	31
	.long	.Ltmp47-.Ltmp46
	.byte	0
	.byte	209
	.byte	37
	.long	455082023
	.byte	10
	.long	259
	.byte	32
	.long	.Ltmp49-.Ltmp48
	.byte	0
	.byte	210
	.byte	27
	.long	455082039
	.byte	10
	.long	259
	.byte	33
	.long	.Ltmp51-.Ltmp50
	.byte	0
	.byte	211
	.byte	27
	.long	455082047
	.byte	5
	.long	359
	.byte	32
	.byte	0
	.byte	11
	.byte	6
	.byte	2
	.byte	141
	.byte	4
	.byte	34
	.long	.Lfunc_end14-.Lfunc_begin14
	.byte	20
	.byte	0
	.byte	215
	.byte	5
	.long	292
	.byte	35
	.byte	5
	.long	136
	.byte	36
	.byte	5
	.long	207
	.byte	37
	.byte	5
	.long	163
	.byte	38
	.byte	5
	.long	232
	.byte	39
	.byte	5
	.long	263
	.byte	40
	.byte	5
	.long	292
	.byte	41
	.byte	5
	.long	136
	.byte	42
	.byte	5
	.long	207
	.byte	43
	.byte	5
	.long	163
	.byte	44
	.byte	5
	.long	232
	.byte	45
	.byte	5
	.long	263
	.byte	46
	.byte	5
	.long	158
	.byte	47
	.byte	0
	.byte	0
.Ldebug_info_end0:
	.section	.debug_rnglists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	1
.Lrnglists_table_base0:
	.long	.Ldebug_ranges0-.Lrnglists_table_base0
.Ldebug_ranges0:
	.byte	4
	.uleb128 .Ltmp38-.Lfunc_begin0
	.uleb128 .Ltmp39-.Lfunc_begin0
	.byte	4
	.uleb128 .Ltmp40-.Lfunc_begin0
	.uleb128 .Ltmp41-.Lfunc_begin0
	.byte	4
	.uleb128 .Ltmp42-.Lfunc_begin0
	.uleb128 .Ltmp43-.Lfunc_begin0
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	88
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"clang"
.Linfo_string1:
	.asciz	"demo.c"
.Linfo_string2:
	.asciz	"."
.Linfo_string3:
	.asciz	"printf"
.Linfo_string4:
	.asciz	"strlen"
.Linfo_string5:
	.asciz	"mix"
.Linfo_string6:
	.asciz	"strcpy"
.Linfo_string7:
	.asciz	"less_price"
.Linfo_string8:
	.asciz	"less_customer"
.Linfo_string9:
	.asciz	"part"
.Linfo_string10:
	.asciz	"insertion"
.Linfo_string11:
	.asciz	"sort"
.Linfo_string12:
	.asciz	"report_by_price"
.Linfo_string13:
	.asciz	"report_by_customer"
.Linfo_string14:
	.asciz	"evaluate"
.Linfo_string15:
	.asciz	"price_orders"
.Linfo_string16:
	.asciz	"pack"
.Linfo_string17:
	.asciz	"pack_text"
.Linfo_string18:
	.asciz	"pack_noise"
.Linfo_string19:
	.asciz	"make_orders"
.Linfo_string20:
	.asciz	"main"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.long	.Linfo_string9
	.long	.Linfo_string10
	.long	.Linfo_string11
	.long	.Linfo_string12
	.long	.Linfo_string13
	.long	.Linfo_string14
	.long	.Linfo_string15
	.long	.Linfo_string16
	.long	.Linfo_string17
	.long	.Linfo_string18
	.long	.Linfo_string19
	.long	.Linfo_string20
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	.Lfunc_begin0
	.quad	.Lfunc_begin1
	.quad	.Lfunc_begin2
	.quad	.Ltmp4
	.quad	.Lfunc_begin3
	.quad	.Ltmp7
	.quad	.Lfunc_begin4
	.quad	.Ltmp9
	.quad	.Lfunc_begin5
	.quad	.Ltmp12
	.quad	.Ltmp13
	.quad	.Ltmp14
	.quad	.Ltmp15
	.quad	.Lfunc_begin6
	.quad	.Ltmp18
	.quad	.Ltmp19
	.quad	.Lfunc_begin7
	.quad	.Ltmp22
	.quad	.Ltmp23
	.quad	.Lfunc_begin8
	.quad	.Ltmp26
	.quad	.Ltmp27
	.quad	.Lfunc_begin9
	.quad	.Ltmp29
	.quad	.Lfunc_begin10
	.quad	.Lfunc_begin11
	.quad	.Ltmp33
	.quad	.Ltmp35
	.quad	.Lfunc_begin12
	.quad	.Ltmp44
	.quad	.Lfunc_begin13
	.quad	.Ltmp46
	.quad	.Ltmp48
	.quad	.Ltmp50
	.quad	.Lfunc_begin14
	.quad	.Ltmp54
	.quad	.Ltmp55
	.quad	.Ltmp56
	.quad	.Ltmp57
	.quad	.Ltmp58
	.quad	.Ltmp59
	.quad	.Ltmp60
	.quad	.Ltmp61
	.quad	.Ltmp62
	.quad	.Ltmp63
	.quad	.Ltmp64
	.quad	.Ltmp65
	.quad	.Ltmp66
.Ldebug_addr_end0:
	.section	".note.GNU-stack","",@progbits
	.section	.debug_line,"",@progbits
.Lline_table_start0:
