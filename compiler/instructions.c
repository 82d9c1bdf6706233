// SPDX-License-Identifier: GPL-2.0
/*
 * instructions.c: where instructions begin. Lengths are Zydis' to know.
 *
 * The file's bytes are not quite those that run: at boot the kernel puts other instructions in place of some (alternatives,
 * retpolines, static calls), of the same length in all, not each. What stands there in the file are calls, jumps and
 * NOPs, nearly always; inside one of these the kernel's own check, which sees what runs, has the word.
 */
#include <Zydis/Zydis.h>
#include <string.h>

#include "instructions.h"

static bool may_be_replaced(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		return true;
	default:
		return false;
	}
}

bool instructions_inside(const void *code, size_t size, uint64_t offset, uint64_t *before, uint64_t *after)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;
	uint64_t at = 0;

	if (offset >= size || !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	while (at < offset) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, (const char *)code + at, size - at, &instruction)))
			return false;
		*before = at;
		at += instruction.length;
	}
	*after = at;
	return at > offset && !may_be_replaced(&instruction);
}

int instructions_call_site(const void *code, size_t size, uint64_t address, uint64_t fentry)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa }, nop[CALL_SITE_BYTES] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const uint8_t *p = code;
	int at = size >= sizeof(endbr) && memcmp(p, endbr, sizeof(endbr)) == 0 ? sizeof(endbr) : 0;
	int32_t distance;

	if (size < (size_t)at + CALL_SITE_BYTES)
		return -1;
	if (memcmp(p + at, nop, sizeof(nop)) == 0)
		return at;
	memcpy(&distance, p + at + 1, sizeof(distance));
	if (p[at] != 0xe8 || (address && !fentry))
		return -1;
	return (address ? address + at + CALL_SITE_BYTES + distance == fentry : !distance) ? at : -1;
}
