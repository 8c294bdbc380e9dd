import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../../support/headcount.ts';
import { bodyOf, type JobApi, project, startJobApi } from '../../support/jobs/job-api.ts';
import { jobClient } from '../../support/jobs/jobs.ts';

let { headcount, jobs, newProject } = {} as JobApi;
beforeAll(async () => {
  ({ headcount, jobs, newProject } = await startJobApi());
});
afterAll(() => headcount.stop());

describe('who may do what', () => {
  const routes = [
    ['POST', 'job'],
    ['GET', 'jobs'],
    ['GET', 'job/job_x'],
    ['POST', 'job/job_x/message'],
    ['POST', 'job/job_x/stop'],
    ['POST', 'job/job_x/archive'],
    ['GET', 'job/job_x/events'],
  ] as const;

  test.each(routes)('%s %s', async (method, path) => {
    const other = await headcount.addProject(project);
    const ask = (key: string | null, id = headcount.projectId) =>
      fetch(`${headcount.url}/v2/agent/${id}/${path}`, {
        method,
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
      });
    for (const key of [null, 'nonsense', `${headcount.adminKey.slice(0, -1)}!`]) {
      const response = await ask(key);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    const forbidden = [
      await ask(headcount.ingestKey),
      await ask(headcount.adminKey, other.projectId),
      await ask(headcount.adminKey, 'nosuch'),
    ];
    const texts = await Promise.all(forbidden.map((response) => response.text()));
    expect(forbidden.map(({ status }) => status)).toEqual([403, 403, 403]);
    // The key lacks the scope, which says nothing of projects; the others differ in the id that was asked for.
    expect(texts[0]).toContain('needs a key with the scope');
    expect(texts[1]?.replace(other.projectId, 'nosuch')).toBe(texts[2]);
    expect((await ask(headcount.rootKey, 'nosuch')).status).toBe(404);
  });

  test('a job of another project is not there', async () => {
    const mine = await newProject();
    const { id } = await mine.mustCreate();
    const root = jobClient(headcount.url, { ...headcount, adminKey: headcount.rootKey });
    for (const response of [
      await root.read(id),
      await root.message(id, 'x'),
      await root.archive(id),
      await root.events(id),
      await root.stream(id),
      await root.read('job_unknown'),
    ]) {
      expect([response.status, (await errorOf(response)).error]).toEqual([
        404,
        expect.stringContaining('no such job'),
      ]);
    }
    expect(await bodyOf(await mine.read(id), 200)).toMatchObject({ status: 'active' });
  });

  test.each([
    ['job', 'GET', 'POST'],
    ['jobs', 'POST', 'GET, HEAD'],
    ['job/job_x', 'DELETE', 'GET, HEAD'],
    ['job/job_x/message', 'PUT', 'POST'],
    ['job/job_x/stop', 'GET', 'POST'],
    ['job/job_x/archive', 'GET', 'POST'],
    ['job/job_x/events', 'POST', 'GET, HEAD'],
    ['job/job_x/image/1', 'POST', 'GET, HEAD'],
  ])('%s does not take %s', async (path, method, allow) => {
    const response = await jobs.send(method, `/v2/agent/${headcount.projectId}/${path}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  });

  test('unknown routes are 404', async () => {
    for (const path of ['', 'jobz', 'job/x/y', 'job/x/message/y']) {
      expect((await jobs.send('GET', `/v2/agent/${headcount.projectId}/${path}`)).status).toBe(404);
    }
  });
});
