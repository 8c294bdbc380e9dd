import { gzipSync } from 'node:zlib';
import type { Field } from './request-fields.ts';
import type { Framing, RequestPlan } from './request-plan.ts';

function bytesOf({ text, repeated, as }: RequestPlan['body']): Buffer {
  const whole = text.repeat(repeated);
  if (as === 'bom') return Buffer.from(`\ufeff${whole}`);
  if (as === 'gzip') return gzipSync(whole);
  return Buffer.from(whole, as);
}

/** The request as it goes over the wire, with the headers that identify the client. */
export function toBytes(plan: RequestPlan, identityFields: readonly Field[], host: string): Buffer {
  const body = bytesOf(plan.body);
  const fields: Field[] = [...identityFields, ...plan.fields];
  if (!fields.some(([name]) => name === 'Host')) fields.unshift(['Host', host]);
  if (plan.body.as === 'gzip') fields.push(['Content-Encoding', 'gzip']);
  const target = encodeTarget(plan.query === '' ? plan.path : `${plan.path}?${plan.query}`);
  const { lengths, payload } = frame(plan.framing, body);
  const lines = [...fields, ...lengths].map(([name, value]) => `${name}: ${value.replace(/[\r\n\0]/g, '')}`);
  const head = [`${plan.method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), payload]);
}

/** White space would end the target; other bytes are the server's matter. */
const encodeTarget = (target: string) => target.replace(/\s/g, '%20');

/** Whether the sender leaves in the middle, so that no whole request arrives. */
export const breaksOff = ({ framing, body }: RequestPlan) =>
  framing.startsWith('cut off') && body.text.length > 0;

function frame(framing: Framing, body: Buffer): { lengths: Field[]; payload: Buffer } {
  const length: Field = ['Content-Length', String(body.length)];
  const chunked: Field = ['Transfer-Encoding', 'chunked'];
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
  const chunks = Buffer.concat([body.length > 0 ? chunk : Buffer.alloc(0), Buffer.from('0\r\n\r\n')]);
  switch (framing) {
    case 'length':
      return { lengths: [length], payload: body };
    case 'chunked':
      return { lengths: [chunked], payload: chunks };
    case 'both':
      return { lengths: [length, chunked], payload: chunks };
    case 'two lengths':
      return { lengths: [length, ['Content-Length', '1']], payload: body };
    case 'cut off':
      return { lengths: [length], payload: body.subarray(0, body.length >> 1) };
    case 'cut off in a chunk':
      return { lengths: [chunked], payload: chunk.subarray(0, chunk.length >> 1) };
    case 'broken chunk':
      return { lengths: [chunked], payload: Buffer.concat([Buffer.from('zz\r\n'), body]) };
    case 'endless chunk size':
      return { lengths: [chunked], payload: Buffer.from('f'.repeat(40)) };
    default:
      return framing satisfies never;
  }
}
