import type { AddedProject } from '../../../server/operations/projects.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { type Client, createClient } from '../client.ts';

type Headers = Record<string, string>;

/** What a program does with the jobs of one project, over HTTP. */
export interface JobClient {
  projectId: string;
  /** Any operation, whose refusal is thrown; the others give responses of any status. */
  ask: Client;
  send(method: string, path: string, options?: { body?: string; headers?: Headers }): Promise<Response>;
  /** Posts a body below `/v2/agent/{projectId}/`. */
  post(path: string, body: string, headers?: Headers): Promise<Response>;
  create(prompt: string, headers?: Headers): Promise<Response>;
  mustCreate(): Promise<JobReply>;
  read(id: string): Promise<Response>;
  list(query: string): Promise<Response>;
  message(id: string, prompt: string, headers?: Headers): Promise<Response>;
  stop(id: string): Promise<Response>;
  archive(id: string): Promise<Response>;
  /** The transcript as a list. */
  events(id: string, query?: string): Promise<Response>;
  /** The transcript as a stream. */
  stream(id: string, options?: { headers?: Headers; signal?: AbortSignal }): Promise<Response>;
}

export function jobClient(
  url: string,
  { projectId, adminKey }: Pick<AddedProject, 'projectId' | 'adminKey'>,
): JobClient {
  const authorization = `Bearer ${adminKey}`;
  const base = `/v2/agent/${projectId}`;
  const send: JobClient['send'] = (method, path, { body, headers = {} } = {}) =>
    fetch(url + path, {
      method,
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
  const post: JobClient['post'] = (path, body, headers = {}) =>
    send('POST', `${base}/${path}`, { body, headers: { 'content-type': 'application/json', ...headers } });
  const ask = createClient({ server: url, key: adminKey });
  const create: JobClient['create'] = (prompt, headers) => post('job', JSON.stringify({ prompt }), headers);
  return {
    projectId,
    ask,
    send,
    post,
    create,
    mustCreate: () =>
      ask('POST /v2/agent/{projectId}/job', { path: { projectId }, body: { prompt: 'Do something.' } }),
    read: (id) => send('GET', `${base}/job/${id}`),
    list: (query) => send('GET', `${base}/jobs${query}`),
    message: (id, prompt, headers) => post(`job/${id}/message`, JSON.stringify({ prompt }), headers),
    stop: (id) => send('POST', `${base}/job/${id}/stop`),
    archive: (id) => send('POST', `${base}/job/${id}/archive`),
    events: (id, query = '') => send('GET', `${base}/job/${id}/events${query}`),
    stream: (id, { headers = {}, signal } = {}) =>
      fetch(`${url}${base}/job/${id}/events`, {
        headers: { authorization, accept: 'text/event-stream', ...headers },
        ...(signal && { signal }),
      }),
  };
}
