import { z } from 'zod';
import { errorReply } from './error.ts';

/** https://www.jsonrpc.org/specification#response_object */
const response = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** What `POST /mcp` answers. */
export const rpcReply = response.meta({ id: 'RpcResponse' });

/** The protocol has errors of its own, by which its clients agree on a version. */
export const rpcRefusal = z.union([rpcReply, errorReply]);
