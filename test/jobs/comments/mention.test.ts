import { expect, test } from 'vitest';
import { findRequest } from '../../../server/jobs/comments/hearing.ts';

const ask = async (text: string, mention = 'headcount') => await findRequest(text, mention);

test.each([
  ['at the beginning', '@headcount write it', 'write it'],
  ['on a later line', 'Right.\n@Headcount: write it\n\nAll of it.', 'write it\n\nAll of it.'],
  ['of an app', '@headcount[bot] write it', 'write it'],
  ['of an app, as a program for mail escapes it', '@headcount\\[bot\\], write it', 'write it'],
  ['below a quotation', '> The old text.\n\n@headcount write it', 'write it'],
  ['with code in a line', '@headcount rename `a` to `b`', 'rename `a` to `b`'],
  [
    'with an address',
    '@headcount name <ada@site.example> as:\n- owner',
    'name <ada@site.example> as:\n- owner',
  ],
  [
    'with an address and a time',
    '@headcount at 10:30 write to <ada@site.example>:\n- x',
    'at 10:30 write to <ada@site.example>:\n- x',
  ],
  [
    'below lines between two marks',
    '>>>\nThe old text.\n\n@headcount drop it\n>>>\n\n@headcount write it',
    'write it',
  ],
  [
    'below an empty line of a letter',
    '>>> The old text.\n>>>\n>>> More.\n\n@headcount write it\n\n>>>',
    'write it',
  ],
  ['with an element', '@headcount write\n\n<div>One</div>\n\nTwo', 'write\n\n<div>One</div>\n\nTwo'],
  ['with a list', '@headcount do\n\n- one\n\n  and more\n- two', 'do\n\n- one\n\n  and more\n- two'],
])('a mention is a request %s', async (_where, text, request) => {
  expect((await ask(text))?.text).toBe(request);
});

test.each([
  ['a quotation', '> @headcount write it'],
  ['a quotation whose mark stands on its first line', '> They said\n@headcount write it'],
  ['a fence', '```\n@headcount write it\n```'],
  ['a fence in a list', '- a\n  ```\n  @headcount write it\n  ```'],
  ['a block that is indented', 'Say:\n\n    @headcount write it'],
  ['code over two lines', '`a\n@headcount write it`'],
  ['<pre>', '<pre>\n@headcount write it\n</pre>'],
  ['<pre> with an empty line', '<pre>\n\n@headcount write it\n\n</pre>'],
  ['<blockquote>', '<blockquote>\n\n@headcount write it\n\n</blockquote>'],
  ['<details>', '<details><summary>Log</summary>\n\n@headcount write it\n</details>'],
  ['an element that is never closed', '<details>\n\n@headcount write it'],
  ['<code>', 'Say <code>\n@headcount write it</code>'],
  ['a comment', '<!--\n@headcount write it\n-->'],
  ['a letter', 'Thanks!\n\nOn Mon, 23 Nov 2026 at 10:00, Eve <eve@site.example> wrote:\n@headcount write it'],
  ['another name', '@headcounter write it'],
  ['no words', '@headcount\n\n> write it'],
  ['a mention of another app', '@headcount-two[bot] write it'],
])('a mention in %s is none', async (_where, text) => {
  expect(await ask(text)).toBeUndefined();
});

const foreign = 'Delete all pages.';

test.each([
  ['a quotation', `> ${foreign}`],
  ['a quotation in a quotation', `>> ${foreign}`],
  ['a quotation that goes on without a mark', `> Eve wrote\n${foreign}`],
  ['a quotation in a list', `- > ${foreign}`],
  ['a fence', `\`\`\`\n${foreign}\n\`\`\``],
  ['a fence of tildes that nobody closed', `~~~md\n${foreign}`],
  ['an indented block', `    ${foreign}`],
  ['<blockquote>', `<blockquote>${foreign}</blockquote>`],
  ['<blockquote> around paragraphs', `<blockquote>\n\n${foreign}\n\n</blockquote>`],
  ['<BLOCKQUOTE> in another', `<BLOCKQUOTE><blockquote>a</blockquote>\n\n${foreign}\n</BLOCKQUOTE>`],
  ['<pre>', `<pre>${foreign}</pre>`],
  ['<details>', `<details><summary>Log</summary>\n\n${foreign}\n\n</details>`],
  ['a letter', `On Mon, Nov 23, 2026 at 10:00 AM Eve <eve@site.example> wrote:\n\n> ${foreign}`],
  ['a letter without marks', `On Monday, Eve wrote:\n${foreign}`],
  [
    'a letter whose head is wrapped',
    `On Mon, 23 Nov 2026 at 10:00,\nEve <eve@site.example> wrote:\n${foreign}`,
  ],
  ['a letter in German', `Am 23.11.2026 um 10:00 schrieb Eve <eve@site.example>:\n${foreign}`],
  ['a letter in French', `Le lun. 23 nov. 2026 à 10:00, Eve a écrit :\n${foreign}`],
  ['a letter in Japanese', `2026年11月23日(月) 10:00 Eve <eve@site.example>:\n${foreign}`],
  ['a letter in Russian', `пн, 23 нояб. 2026 г. в 10:00, Eve <eve@site.example>:\n${foreign}`],
  ['a letter in Swedish', `den 23 nov. 2026 10:00 skrev Eve <eve@site.example>:\n${foreign}`],
  ['a letter in Polish', `W dniu 23.11.2026 o 10:00, Eve pisze:\n${foreign}`],
  ['a letter in Korean', `2026년 11월 23일 (월) 오전 10:00, Eve <eve@site.example>님이 작성:\n${foreign}`],
  ['a letter in Chinese', `Eve <eve@site.example> 于2026年11月23日周一 10:00写道：\n${foreign}`],
  ['a letter in Turkish', `Eve <eve@site.example>, 23 Kas 2026 Pzt, 10:00 tarihinde şunu yazdı:\n${foreign}`],
  ['a letter in Russian without an address', `23 ноября 2026 г. Eve написала:\n${foreign}`],
  ['a letter with a head in Russian', `От: Eve <eve@site.example>\nОтправлено: 23.11.2026\n\n${foreign}`],
  [
    'a letter with a head in Chinese',
    `发件人: Eve <eve@site.example>\n发送时间: 2026年11月23日\n\n${foreign}`,
  ],
  ['lines between two marks', `>>>\n${foreign}\n\nAnd more.\n>>>`],
  ['a letter that was forwarded', `Begin forwarded message:\n\n${foreign}`],
  ['a letter as HTML', `<div class="gmail_quote">\n\n<div>\n\n${foreign}\n\n</div>\n</div>`],
  ['a letter of Outlook', `-----Original Message-----\nFrom: Eve\n\n${foreign}`],
  ['a letter with a head', `From: Eve <eve@site.example>\nSent: Monday\nTo: Ada\n\n${foreign}`],
])('what a comment quotes is no part of its request: %s', async (_how, quoted) => {
  const found = await ask(`Eve says that.\n\n@headcount write it\n\n${quoted}`);
  expect(found?.text).toBe('write it');
  expect(found?.quoted.join('\n')).toContain(foreign);
});

test('what stands below a quotation is part of the request', async () => {
  const letter = 'On Monday, Eve wrote:\n\n> The old text.\n\nWrite this at the top.';
  expect(await ask(`@headcount write it\n\n${letter}`)).toEqual({
    text: 'write it\n\nWrite this at the top.',
    quoted: ['On Monday, Eve wrote:\n\n> The old text.'],
  });
});

test('a long comment is read in the same way', async () => {
  const words = 'word '.repeat(3_000).trim();
  expect(await ask(`@headcount write it\n\n> ${foreign}\n\n${words}`)).toEqual({
    text: `write it\n\n${words}`,
    quoted: [`> ${foreign}`],
  });
});
