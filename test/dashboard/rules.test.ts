import { expect, test } from 'vitest';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { button, dashboardVisits, field } from '../support/dashboard/visit.ts';

const visit = dashboardVisits();

test('rules follow what is chosen, and are copied', async () => {
  const { page } = await visit.look(`${visit.base}/rules`);
  const text = () => page.locator('.code code').innerText();
  await expect.poll(text).toContain('All AI clients are welcome');
  await field(page, 'Training of models').selectOption('refuse');
  await expect.poll(text).toContain('User-agent: GPTBot');
  await field(page, 'AI client').selectOption('ClaudeBot');
  await field(page, 'What it may do').selectOption('allow');
  await button(page, 'Add exception').click();
  await expect.poll(text).not.toContain('ClaudeBot');
  await field(page, 'Where you paste them').selectOption('nginx');
  await expect.poll(text).toContain('map $http_user_agent');
  await expect.poll(text).toContain('return 403;');
  await button(page, 'Remove the exception for ClaudeBot').click();
  await expect.poll(text).toContain('ClaudeBot');
  await page
    .context()
    .grantPermissions(['clipboard-read', 'clipboard-write'], { origin: visit.headcount.url });
  await button(page, 'Copy the rules').click();
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(copied).toContain('return 403;');
});

test('the public site of a project is named in its settings, and taken back', async () => {
  const { page, client } = await visit.look(`${visit.base}/settings`);
  const siteHost = async () => (await client.must<ProjectReply>('GET', visit.admin)).siteHost;
  expect(await siteHost()).toBeNull();
  await field(page, 'Public host').fill('https://www.example.com/');
  await button(page, 'Save: General').click();
  await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a public host name');
  await field(page, 'Public host').fill('www.example.com');
  await button(page, 'Save: General').click();
  await expect.poll(siteHost).toBe('www.example.com');
  await field(page, 'Public host').fill('');
  await button(page, 'Save: General').click();
  await expect.poll(siteHost).toBeNull();
});
