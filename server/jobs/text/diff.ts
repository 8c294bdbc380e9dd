import { excerpt } from './excerpt.ts';

/** Of the transcript, which models read too. */
const maxLength = 20_000;

/** What stands in a patch for git alone: the packed bytes of files that are no text. */
const packed = /^GIT binary patch\n(?:(?:literal|delta) \d+\n(?:[A-Za-z].+\n)*\n?)+/gm;
const hashes = /^index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?\n/gm;

/** The patch of a turn as people read it. @param redact takes secrets out */
export function readableDiff(patch: Buffer, redact: (text: string) => string): string {
  const text = patch.toString().replace(packed, 'A file that is not text.\n').replace(hashes, '');
  return excerpt(redact(text), maxLength, '\n(cut here: the branch has all of it)');
}
