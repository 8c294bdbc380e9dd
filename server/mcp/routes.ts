import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response as HttpResponse, Request } from 'express';
import { z } from 'zod';
import { errorReply, lazily } from '../../shared/reply.ts';
import type { Context } from '../context.ts';
import { readDescription } from '../description/routes.ts';
import { ApiError } from '../errors.ts';
import { addressOf, onBehalfOf } from '../http/client-address.ts';
import { type Call, type Route, route } from '../http/route.ts';
import type { McpEndpoint } from './endpoint.ts';

/** https://www.jsonrpc.org/specification#response_object */
const response = lazily(() =>
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
  }),
);

/** What `POST /mcp` answers. */
export const rpcReply = lazily(() => response().meta({ id: 'RpcResponse' }));

/** The protocol has errors of its own, by which its clients agree on a version. */
export const rpcRefusal = lazily(() => z.union([rpcReply(), errorReply()]));

/** A prompt of a job, and the message around it. */
const maxBodyBytes = 600 * 1024;

/** JSON-RPC, which the protocol's own library looks into: https://www.jsonrpc.org/specification */
const message = z.looseObject({
  jsonrpc: z.literal('2.0', 'must be "2.0"'),
  method: z.string('must be the name of a method'),
});

/** The Model Context Protocol over streamable HTTP, without sessions. Nothing of it is loaded before somebody asks. */
export function mcpRoutes(operations: () => readonly Route[]): readonly Route[] {
  let endpoint: Promise<McpEndpoint> | undefined;
  const load = (context: Context) => {
    endpoint ??= loadEndpoint(context, operations());
    return endpoint;
  };
  return [
    route({
      name: 'mcp.call',
      method: 'POST',
      path: '/mcp',
      access: 'key',
      scope: 'read',
      summary: 'Ask as a model does, by the Model Context Protocol',
      description: 'Streamable HTTP without sessions: each message is answered for itself.',
      body: { schema: message, maxBytes: maxBodyBytes, subject: 'The message' },
      answers: {
        200: {
          says: 'The result, or why there is none',
          json: rpcReply,
          types: ['text/event-stream'],
        },
        202: { says: 'A notification was taken' },
        400: {
          says: 'Wrong parameter, field or body, or a version of the protocol that is not known',
          json: rpcRefusal,
        },
      },
      handle: async (context, call) => {
        await answer(await load(context), context, call);
        return undefined;
      },
    }),
  ];
}

async function loadEndpoint({ log }: Context, operations: readonly Route[]): Promise<McpEndpoint> {
  const { createEndpoint } = await import('./endpoint.ts');
  const onError = (error: Error) => log.error('A message of the Model Context Protocol failed:', error);
  return createEndpoint({ api: await readDescription(operations), operations, onError });
}

async function answer(
  endpoint: McpEndpoint,
  context: Context,
  { key, body, req, res }: Call<'key', undefined, z.infer<typeof message>>,
): Promise<void> {
  const origin = req.get('origin');
  const answered = await endpoint({
    key,
    body,
    origin,
    baseUrl: context.config.baseUrl,
    headers: protocolFields(req),
    caller: {
      url: ownAddress(req),
      fields: {
        authorization: req.get('authorization') ?? '',
        ...onBehalfOf(addressOf(context, req)),
      },
    },
  });
  if (answered === 'foreign_origin') {
    throw new ApiError(
      'forbidden',
      `Pages of ${origin} may not ask here: only those of this server and of your machine.`,
    );
  }
  await send(res, answered);
}

/** Headers of the protocol; and both media types, as clients that ask for one understand either. */
function protocolFields({ headers }: Request): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
}

/** Where the request came in, which a proxy before the server does not change. */
function ownAddress({ socket: { localAddress = '', localPort } }: Request): string {
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

async function send(res: HttpResponse, { status, headers, body }: Response): Promise<void> {
  const type = headers.get('content-type');
  res.status(status);
  if (type !== null) res.set('Content-Type', type);
  if (body === null) res.end();
  else await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), res);
}
