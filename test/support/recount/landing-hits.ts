import { expect } from 'vitest';
import { visibleSeconds } from '../../../shared/visible-time.ts';
import type { ProjectClient } from '../headcount.ts';
import type { Landing } from './hit-stream.ts';

/** Reports a landing as its browser does: with the script also how long the page was seen. */
export async function sendLanding(
  server: string,
  { projectId, hit }: ProjectClient,
  { way, ip, path, passage, width, steps }: Landing,
  userAgent: string,
): Promise<void> {
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': ip };
  const u = `https://example.com${path}`;
  if (way === 'image') {
    const query = new URLSearchParams({ u, r: 'https://news.example/' });
    expect((await fetch(`${server}/v1/image/${projectId}?${query}`, { headers })).status).toBe(202);
    return;
  }
  const landed = await hit({ u, r: `https://news.example/#:~:text=${passage}`, s: width }, headers);
  expect(landed.status).toBe(202);
  for (const t of visibleSeconds.slice(0, steps)) expect((await hit({ u, t }, headers)).status).toBe(202);
}
