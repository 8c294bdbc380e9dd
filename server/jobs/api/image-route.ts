import { imageTypes } from '../../../shared/jobs/image.ts';
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { type Call, route } from '../../http/route.ts';

/** An image that came with a prompt, as it was sent: `GET …/job/{id}/image/{number}`. */
export const imageRoute = route({
  name: 'jobs.image',
  method: 'GET',
  path: '/v2/agent/:projectId/job/:jobId/image/:imageNumber',
  access: 'project',
  scope: 'read',
  role: 'editor',
  summary: 'Read an image that came with a prompt',
  answers: { 200: { says: 'The image', types: imageTypes } },
  refusals: ['not_found'],
  handle: sendImage,
});

async function sendImage({ store }: Context, { project, req, res }: Call<'project'>): Promise<void> {
  const { jobId, imageNumber: number } = req.params;
  const image = /^[1-9]\d{0,8}$/.test(String(number))
    ? await store.jobs.findImage(project.id, String(jobId), Number(number))
    : null;
  if (!image) throw new ApiError('not_found', 'There is no such image: the transcript has their numbers.');
  res
    .type(image.type)
    // Whatever else it may be to a browser, it runs nothing.
    .set('Content-Security-Policy', "default-src 'none'; sandbox")
    .send(Buffer.from(image.content));
}
