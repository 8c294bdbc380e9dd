import { extname } from 'node:path';

/** Pictures, sound, fonts, archives and programs, which have no lines that anybody could read or search. */
const unreadable: ReadonlySet<string> = new Set([
  ...[
    'png',
    'jpg',
    'jpeg',
    'gif',
    'webp',
    'avif',
    'ico',
    'bmp',
    'tif',
    'tiff',
    'heic',
    'psd',
    'fig',
    'sketch',
  ],
  ...['mp3', 'mp4', 'm4a', 'm4v', 'mov', 'avi', 'mkv', 'webm', 'ogg', 'ogv', 'wav', 'flac'],
  ...['woff', 'woff2', 'ttf', 'otf', 'eot'],
  ...['zip', 'gz', 'tgz', 'bz2', 'xz', 'zst', '7z', 'rar', 'tar', 'jar'],
  ...[
    'pdf',
    'docx',
    'xlsx',
    'pptx',
    'sqlite',
    'parquet',
    'wasm',
    'exe',
    'dll',
    'so',
    'dylib',
    'class',
    'pyc',
  ],
]);

/** Leaves them out of what git looks into: https://git-scm.com/docs/gitglossary#Documentation/gitglossary.txt-pathspec */
export const readablePathspecs: readonly string[] = [...unreadable].map((end) => `:(exclude,icase)*.${end}`);

/** Whether a file may hold text, by its name: its content may not be here yet. */
export function isReadable(path: string): boolean {
  return !unreadable.has(extname(path).slice(1).toLowerCase());
}
