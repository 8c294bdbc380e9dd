import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type AgentTask, runAgent } from '../../../../server/jobs/agent/agent.ts';
import { defaultLimits } from '../../../../server/jobs/agent/limits.ts';
import type { Message } from '../../../../server/jobs/agent/message.ts';
import { createModel, type ModelSettings } from '../../../../server/jobs/agent/model/model.ts';
import {
  createModelRequest,
  type ModelRequest,
  type SilenceLimits,
} from '../../../../server/jobs/agent/model/model-request.ts';
import type { AgentEvent } from '../../../../server/jobs/agent/result.ts';
import type { Usage } from '../../../../server/store/jobs/job.ts';
import { type ModelServer, type Script, startModelServer } from '../model/model-server.ts';
import { type AgentSite, makeSite } from './agent-site.ts';

/** A key of the right length, which must turn up nowhere. */
export const modelKey = 'sk-scripted-0123456789abcdef';

/** One name for each API that the scripted server speaks. */
export const modelNames = {
  chat: 'openai/gpt-scripted',
  compatible: 'compatible/meta/llama-scripted',
  responses: 'openai/gpt-5-scripted',
  anthropic: 'anthropic/claude-scripted',
  google: 'google/gemini-scripted',
} as const;

export type ModelKind = keyof typeof modelNames;

/** Settings that lead every provider to the scripted server. */
function settingsFor(url: string, kind: ModelKind): ModelSettings {
  return {
    anthropic: { apiKey: modelKey, baseUrl: url },
    openai: { apiKey: modelKey, baseUrl: kind === 'responses' ? undefined : `${url}/v1` },
    google: { apiKey: modelKey, baseUrl: `${url}/v1beta` },
    compatible: { apiKey: modelKey, baseUrl: `${url}/v1` },
  };
}

export interface AgentRun {
  site: AgentSite;
  server: ModelServer;
  events: AgentEvent[];
  messages: Message[];
  /** Of each answer. */
  usages: Usage[];
  /** Milliseconds that the agent asked to wait; it did not have to. */
  waits: number[];
  task: AgentTask;
}

export interface RunOptions extends Partial<Omit<AgentTask, 'limits'>> {
  kind?: ModelKind;
  files?: Record<string, string | Buffer>;
  site?: AgentSite;
  silenceLimits?: SilenceLimits;
  limits?: Partial<AgentTask['limits']>;
}

/** A site, a scripted model behind HTTP, and a task that joins them; the server ends with the test. */
export async function prepareRun(script: Script, options: RunOptions = {}): Promise<AgentRun> {
  const { kind = 'chat', files = {}, limits, silenceLimits, ...parts } = options;
  const site = options.site ?? (await makeSite(files));
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const events: AgentEvent[] = [];
  const messages: Message[] = [];
  const usages: Usage[] = [];
  const waits: number[] = [];
  const requestModel = createModelRequest(() => true, silenceLimits);
  const toServer: ModelRequest = (address, init) => {
    const url = String(address).replace('https://api.openai.com', server.url);
    return requestModel(url, init);
  };
  const task: AgentTask = {
    model: createModel(modelNames[kind], settingsFor(server.url, kind), toServer),
    directory: site.directory,
    prompt: 'Improve the page.',
    history: [],
    limits: { ...defaultLimits, ...limits },
    searchPath: '/usr/local/bin:/usr/bin:/bin',
    secrets: [modelKey],
    signal: new AbortController().signal,
    now: () => Date.parse('2026-11-21T10:00:00Z'),
    wait: (ms, signal) => {
      waits.push(ms);
      return wait(0, undefined, { signal });
    },
    onEvent: (event) => void events.push(event),
    onMessages: (added, usage) => {
      messages.push(...added);
      if (usage) usages.push(usage);
    },
    ...parts,
  };
  return { site, server, events, messages, usages, waits, task };
}

export async function runScripted(script: Script, options: RunOptions = {}) {
  const run = await prepareRun(script, options);
  return { ...run, result: await runAgent(run.task) };
}
