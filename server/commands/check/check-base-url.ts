import { addressOf } from '../../config/own-address.ts';
import { instanceOf } from '../../projects/instance.ts';
import { findSecretKey, SecretError } from '../../projects/key-file.ts';
import type { Terminal } from '../terminal/command.ts';
import { type Remark, remark } from './remark.ts';

const answerMs = 10_000;
const clockToleranceMs = 60_000;

/** Whether the public address leads to this server. */
export async function checkBaseUrl({ config, isServed, now }: Terminal): Promise<Remark[]> {
  if (!config.isBaseUrlGiven || !(await isServed())) return [];
  const url = addressOf(config.baseUrl, '/hc.js');
  try {
    const { status, headers } = await ask(url);
    const type = headers.get('content-type') ?? 'nothing';
    if (status !== 200 || !type.includes('javascript')) {
      return [
        remark(
          'base_url',
          `${url} does not answer with the script of Headcount (${status}, ${type}): look at HEADCOUNT_BASE_URL and at the proxy.`,
        ),
      ];
    }
    return [...(await checkInstance(config)), ...compareClocks(headers.get('date'), now(), config.baseUrl)];
  } catch (error) {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return [
      remark(
        'base_url',
        `${url} cannot be reached from here: ${why}. Look at HEADCOUNT_BASE_URL, and at the proxy.`,
      ),
    ];
  }
}

async function ask(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerMs), redirect: 'manual' });
  await response.body?.cancel();
  return response;
}

/** Another Headcount has another key. */
async function checkInstance({ baseUrl, dataDir, secretKey }: Terminal['config']): Promise<Remark[]> {
  const key = readableKey({ dataDir, secretKey });
  if (!key || (await ask(addressOf(baseUrl, `/v1/instance/${instanceOf(key)}`))).status === 204) return [];
  const place = secretKey ? 'HEADCOUNT_SECRET_KEY' : dataDir;
  return [
    remark(
      'base_url',
      `${baseUrl} leads to a Headcount, but not to this one, with the key of ${place}: look at HEADCOUNT_BASE_URL and at the proxy, give this command the settings of the server, and restart a server that is older than this command.`,
    ),
  ];
}

/** What is wrong with the key is told elsewhere. */
function readableKey(config: Pick<Terminal['config'], 'dataDir' | 'secretKey'>): Buffer | undefined {
  try {
    return findSecretKey(config);
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}

/** Where a proxy answers, its clock is another one than ours. */
function compareClocks(date: string | null, now: number, baseUrl: string): Remark[] {
  const difference = Math.abs(Date.parse(date ?? '') - now);
  if (!(difference > clockToleranceMs)) return [];
  return [
    remark(
      'clock',
      `By the clock of this machine it is ${new Date(now).toISOString()}, and ${baseUrl} says ${date}: have a time server keep the clock.`,
    ),
  ];
}
