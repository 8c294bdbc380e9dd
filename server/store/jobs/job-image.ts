import type { ImageType } from '../../../shared/jobs/image.ts';

/** What came with a prompt, besides its words. */
export interface NewImage {
  /** As whoever sent it calls it. */
  name: string;
  type: ImageType;
  content: Uint8Array;
}

export interface JobImage extends NewImage {
  /** From 1, over all messages of the job. */
  number: number;
  /** The one that it came with. */
  turn: number;
}

/** What is told of it where its content is not. */
export interface ListedImage {
  number: number;
  name: string;
  type: ImageType;
  bytes: number;
}

export function toListedImage({ number, name, type, content }: Omit<JobImage, 'turn'>): ListedImage {
  return { number, name, type, bytes: content.byteLength };
}
