import { z } from 'zod';
import { lazily } from '../../shared/reply.ts';
import { basePathOf } from '../config/own-address.ts';
import { CompressedFile } from '../http/compression.ts';
import { type Route, route } from '../http/route.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import { version } from '../process/program.ts';
import type { OpenApi } from './openapi.ts';
import { tagOf } from './tags.ts';

const unchanged = { says: 'It is the one that `If-None-Match` names' };
const base = { method: 'GET', access: 'anyone' } as const;

/** As `/openapi.json` answers it, roughly: tools read the rest. */
const openApiReply = lazily(() =>
  z.looseObject({
    openapi: z.string(),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  }),
);

/** The description of the public operations: nothing of it is made before somebody asks. */
export function descriptionRoutes(operations: () => readonly Route[]): readonly Route[] {
  const page = onceForEach(async (basePath: string) => {
    const { renderPage } = await import('./page.ts');
    return new CompressedFile('html', Buffer.from(renderPage(await readDescription(operations(), basePath))));
  });
  const style = onceForEach(async () => {
    const { pageStyle } = await import('./page-style.ts');
    return new CompressedFile('css', Buffer.from(pageStyle));
  });
  const file = onceForEach(async (basePath: string) => {
    const api = await readDescription(operations(), basePath);
    return new CompressedFile('json', Buffer.from(JSON.stringify(api)));
  });
  return [
    route({
      ...base,
      name: 'server.description',
      path: '/openapi.json',
      summary: 'This description',
      answers: {
        200: {
          says: 'OpenAPI 3.1',
          json: openApiReply,
          types: ['application/json'],
        },
        304: unchanged,
      },
      handle: async ({ config }, { req, res }) => {
        // Any program may read it from any page.
        res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-cache' });
        await (await file(basePathOf(config))).send(req, res);
        return undefined;
      },
    }),
    route({
      ...base,
      name: 'server.docs',
      path: '/docs',
      summary: 'This description, for people',
      answers: { 200: { says: 'A page without scripts', types: ['text/html'] }, 304: unchanged },
      handle: async ({ config }, { req, res }) => {
        setPageHeaders(res);
        res.set('Cache-Control', 'no-cache');
        await (await page(basePathOf(config))).send(req, res);
      },
    }),
    route({
      ...base,
      name: 'server.docs-style',
      path: '/docs.css',
      summary: 'How the page looks',
      answers: { 200: { says: 'A style sheet', types: ['text/css'] }, 304: unchanged },
      handle: async (_context, { req, res }) => {
        res.set({ 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' });
        await (await style('')).send(req, res);
      },
    }),
  ];
}

/** Those that programs may rely on. */
function publicOnes(operations: readonly Route[]): readonly Route[] {
  return operations.filter(({ name }) => tagOf(name).isPublic);
}

export async function readDescription(operations: readonly Route[], basePath = ''): Promise<OpenApi> {
  const { describeApi } = await import('./openapi.ts');
  return describeApi(publicOnes(operations), { version, basePath });
}

/** Made at the first use, for each base path; a failure is not kept. */
function onceForEach<T>(make: (basePath: string) => Promise<T>): (basePath: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (basePath) => {
    const before = made.get(basePath);
    if (before) return before;
    const making = make(basePath);
    made.set(basePath, making);
    making.catch(() => made.delete(basePath));
    return making;
  };
}
