export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export type ImageType = (typeof imageTypes)[number];

/** How many may come with a prompt. */
export const maxImages = 4;
/** Of one: no file of a change may be larger either. */
export const maxImageBytes = 1_000_000;
/** Of all that come with a prompt. */
export const maxImagesBytes = 1_500_000;

/** What files of each kind end with. */
export const imageExtensions: Readonly<Record<ImageType, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
};

/** The type by the first bytes, whatever the name says; undefined: none of them. */
export function imageTypeOf(content: Uint8Array): ImageType | undefined {
  const start = String.fromCharCode(...content.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  return undefined;
}
