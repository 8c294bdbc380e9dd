import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import userAgents from '../user-agents.json' with { type: 'json' };
import type { Acknowledgement, Ledger } from './ledger.ts';

interface Target {
  port: number;
  projectId: string;
}

const senders = 24;
const pauseMs = 5;

/** An answer that takes longer hangs. */
const lateMs = 15_000;

/** Fewer than a day's names, and long enough that a file of them all does not fit into the kernel's buffers. */
const paths = Array.from({ length: 4_000 }, (_, i) => `/${i}/${'page-of-the-site-'.repeat(25)}`);
const visitors = Array.from({ length: 5_000 }, (_, i) => ({
  // From networks far apart: no bound for one of them is met.
  address: `${1 + (i % 200)}.${(i * 7) % 256}.${(i * 31) % 256}.${1 + (i % 250)}`,
  userAgent: userAgents[i % userAgents.length] as string,
}));

/** Sends hits from many connections until the signal, over whatever happens to the server. */
export async function sendHits(target: Target, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: senders });
  const sendOn = async (first: number) => {
    for (let i = first; !signal.aborted; i += senders) {
      const path = paths[(i * 2_654_435_761) % paths.length] as string;
      const visitor = visitors[(i * 40_503) % visitors.length] as (typeof visitors)[number];
      const outcome = await sendOne(target, agent, path, visitor);
      ledger.note(outcome, path, `${visitor.address} ${visitor.userAgent}`);
      await pause(outcome === 'counted' ? pauseMs : 50);
    }
  };
  await Promise.all(Array.from({ length: senders }, (_, i) => sendOn(i)));
  agent.destroy();
}

function sendOne(
  { port, projectId }: Target,
  agent: Agent,
  path: string,
  { address, userAgent }: (typeof visitors)[number],
): Promise<Acknowledgement> {
  const body = JSON.stringify({ p: projectId, u: `https://example.com${path}` });
  const headers = {
    'user-agent': userAgent,
    'x-forwarded-for': address,
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve) => {
    const sending = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/hit', agent, headers });
    const late = setTimeout(() => {
      resolve('late');
      sending.destroy();
    }, lateMs);
    sending.on('response', (response) => {
      clearTimeout(late);
      response.resume();
      response.on('error', () => resolve('unanswered'));
      response.on('close', () => resolve(response.complete ? outcomeOf(response) : 'unanswered'));
    });
    sending.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      // Nobody was there to count it.
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'unanswered');
    });
    sending.end(body);
  });
}

function outcomeOf({ statusCode, headers }: IncomingMessage): Acknowledgement {
  if (statusCode === 202) return headers['x-headcount-dropped'] === undefined ? 'counted' : 'unexpected';
  return statusCode === 503 && headers['retry-after'] !== undefined ? 'refused' : 'unexpected';
}

/** Asks for a file of all paths again and again, and stops reading after its beginning. */
export async function readSlowly(
  { port, projectId }: Target,
  adminKey: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.on('data', () => socket.pause());
    socket.write(
      `GET /v1/analytics/${projectId}/views?format=csv HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${adminKey}\r\n\r\n`,
    );
    await closed(socket, signal);
    await pause(200);
  }
}

/** A paused socket does not notice that it was closed, so it is looked at anew now and then. */
function closed(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      socket.destroy();
      resolve();
    };
    const timer = setTimeout(end, 30_000);
    socket.once('close', end);
    signal.addEventListener('abort', end);
  });
}
