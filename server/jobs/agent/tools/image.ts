import { extname } from 'node:path';
import { z } from 'zod';
import { imageExtensions } from '../../../../shared/jobs/image.ts';
import type { JobImage } from '../../../store/jobs/job-image.ts';
import type { Folder } from './folder.ts';
import { shown } from './path.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** Puts what came with a request where pages can show it. */
export function createImageTool(
  folder: Folder,
  images: readonly Pick<JobImage, 'number' | 'type' | 'content'>[],
): Tool {
  return defineTool({
    name: 'place',
    description:
      'Writes an image that came with a request into the repository, as it is. Put it where the site has its images, and show it in a page.',
    input: z.object({
      image: z.int().describe('Its number'),
      path: z.string().describe('From the top of the repository, such as docs/images/settings.png'),
    }),
    run: async ({ image, path }) => {
      const found = images.find(({ number }) => number === image);
      if (!found) {
        const numbers = images.map(({ number }) => number).join(', ');
        throw new ToolError(`There is no image ${image}. Those that came with requests are ${numbers}.`);
      }
      const endings = imageExtensions[found.type].map((name) => `.${name}`);
      if (!endings.includes(extname(path).toLowerCase())) {
        throw new ToolError(`Image ${image} is ${found.type}: let the path end in ${endings.join(' or ')}.`);
      }
      await folder.write(path, found.content);
      return `Image ${image} is at ${shown(path)} now.`;
    },
  });
}
