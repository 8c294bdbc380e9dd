import type { Dialog } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Outbox } from '../../server/outbox/outbox.ts';
import type { KeysReply, LinksReply, ProjectReply } from '../../shared/accounts/admin.ts';
import type { SavedViewReply } from '../../shared/reports/saved-views.ts';
import { type DashboardClient, password, signIn } from '../support/dashboard/dashboard.ts';
import { findViolations, openPage, settle } from '../support/dashboard/page.ts';
import { button, dashboardVisits, field } from '../support/dashboard/visit.ts';

const visit = dashboardVisits();

const readProject = (client: DashboardClient) => client.must<ProjectReply>('GET', visit.admin);

describe('keys', () => {
  test('have an end and networks, say who made them, and take with them those that they made', async () => {
    const { page, client, open } = await visit.look(`${visit.base}/settings/keys`);
    await field(page, 'Name').fill('model');
    await field(page, 'Access').selectOption({ label: 'Read' });
    await field(page, 'Expires').selectOption({ label: 'In 90 days' });
    await field(page, 'Networks').fill('10.0.0.0/8, nonsense');
    await button(page, 'Create key').click();
    await page
      .getByText('must be an IP address or a range such as 192.0.2.0/24 or 2001:db8::/32')
      .first()
      .waitFor();
    await field(page, 'Networks').fill('10.0.0.0/8, 2001:db8::1');
    await button(page, 'Create key').click();
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
    await button(page, 'I have copied it').click();
    const listed = async () => (await client.must<KeysReply>('GET', `${visit.admin}/keys`)).keys;
    const made = (await listed()).find(({ name }) => name === 'model');
    expect(made).toMatchObject({ scope: 'read', networks: ['10.0.0.0/8', '2001:db8::1'] });
    const days = (Date.parse(made?.expiresAt ?? '') - Date.parse(made?.createdAt ?? '')) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const row = page.getByRole('listitem').filter({ hasText: /^model/ });
    await expect
      .poll(async () => (await row.innerText()).replace(/\s+/g, ' '))
      .toMatch(
        /^model ?read Created .*, never used Expires .* · Only from 10\.0\.0\.0\/8, 2001:db8::1 · Made by the administrator Revoke$/,
      );
    // The form is empty again.
    await expect.poll(() => field(page, 'Networks').inputValue()).toBe('');

    const { url, adminKey, projectId } = visit.headcount;
    await fetch(`${url}/v1/projects/${projectId}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'made by it', scope: 'jobs' }),
    });
    await open(`${visit.base}/settings/keys`);
    await page.getByText('Made with the key first admin key').waitFor();
    await button(page, 'Revoke first admin key').click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' });
    await dialog.getByText('The keys that were made with it are revoked too: made by it.').waitFor();
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await expect.poll(async () => (await listed()).map(({ name }) => name)).not.toContain('made by it');
    expect(await findViolations(page)).toEqual([]);
  });

  test('are shown once, work, and are refused once they are revoked', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings/keys`);
    await field(page, 'Name').fill('reader');
    await page.getByLabel('Access').selectOption('admin');
    await button(page, 'Create key').click();
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    const key = await dialog.locator('code').innerText();
    const ask = async () => {
      const path = `/v1/analytics/${visit.headcount.projectId}/visitors`;
      return (await fetch(visit.headcount.url + path, { headers: { authorization: `Bearer ${key}` } }))
        .status;
    };
    expect(await ask()).toBe(200);
    await button(page, 'I have copied it').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('reader', { exact: true }).first().waitFor();
    expect(await page.content()).not.toContain(key);
    await button(page, 'Revoke reader').click();
    await button(page, 'Cancel').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await ask()).toBe(200);
    await button(page, 'Revoke reader').click();
    await button(page, 'Revoke key').click();
    await button(page, 'Revoke reader').waitFor({ state: 'detached' });
    expect(await ask()).toBe(401);
    const { keys } = await client.must<KeysReply>('GET', `${visit.admin}/keys`);
    expect(keys.map(({ name }) => name)).not.toContain('reader');
  });

  test('stand beside the project id and commands, which are copied', async () => {
    const { page } = await visit.look(`${visit.base}/settings/keys`);
    await page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write'], { origin: visit.headcount.url });
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await button(page, 'Copy the project ID').click();
    await expect.poll(copied).toBe(visit.headcount.projectId);
    await button(page, 'Copy the command: Visitors of each page').click();
    await expect
      .poll(copied)
      .toContain(`${visit.headcount.url}/v1/analytics/${visit.headcount.projectId}/visitors`);
  });

  test('are copied where the browser gives no clipboard, too', async () => {
    const { page } = await visit.look(`${visit.base}/settings/keys`);
    await page.evaluate('delete Navigator.prototype.clipboard');
    await button(page, 'Copy the project ID').click();
    await button(page, 'Copy the project ID').getByText('Copied').waitFor();
  });
});

describe('settings', () => {
  test('of the site are saved, and faults are told beside their fields', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings`);
    await field(page, 'Name').fill('Handbook');
    await field(page, 'Host names').fill('a.example\n*.b.example');
    await field(page, 'Query parameters to keep').fill('page');
    await field(page, 'Time zone').fill('Asia/Tokyo');
    await field(page, 'Bandwidth price per GB').fill('0.09');
    await page.getByLabel('Personal parts of paths').selectOption('keep');
    await button(page, 'Save: General').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readProject(client)).toMatchObject({
      name: 'Handbook',
      hosts: ['a.example', '*.b.example'],
      keptParameters: ['page'],
      personalPaths: 'keep',
      trafficPrice: 0.09,
      timeZone: 'Asia/Tokyo',
    });
    await button(page, 'Project Handbook, switch').waitFor();
  });

  test('of what is not counted are saved, and own visits left out by two buttons', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings`);
    await field(page, 'Excluded paths').fill('admin');
    await field(page, 'Excluded IP addresses').fill('192.0.2.0/24, 2001:db8::/32');
    await button(page, 'Save: Not counted').click();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a path glob');
    await field(page, 'Excluded paths').fill('/admin/**');
    await field(page, 'Excluded user agents').fill('Mozilla/5.0 (X11, *) Gecko/*\nMonitor');
    await field(page, 'Excluded query parameters').fill('preview=1');
    await field(page, 'Excluded countries').fill('aq, bv');
    await button(page, 'Preview').click();
    await page
      .getByText(/^Excluded countries: in the last 30 days 0 views and 0 visitors would have/)
      .waitFor();
    await page.getByLabel('Leave excluded countries out of earlier days, too.').check();
    await button(page, 'Save: Not counted').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const saved = {
      ...{ excludedPaths: ['/admin/**'], excludedUserAgents: ['Mozilla/5.0 (X11, *) Gecko/*', 'Monitor'] },
      ...{ excludedQueries: ['preview=1'], excludedCountries: ['AQ', 'BV'], excludesPast: true },
    };
    const before = ['192.0.2.0/24', '2001:db8::/32'];
    expect(await readProject(client)).toMatchObject({ ...saved, excludedAddresses: before });
    const own = page.getByRole('region', { name: 'My own visits' });
    await own.getByText('You come from 127.0.0.1').waitFor();
    await button(page, 'Leave out this address').click();
    await own.getByText('Your address 127.0.0.1 is left out').waitFor();
    const after = [...before, '127.0.0.1'];
    await expect.poll(() => field(page, 'Excluded IP addresses').inputValue()).toBe(after.join('\n'));
    expect(await readProject(client)).toMatchObject({ ...saved, excludedAddresses: after });
    await page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write'], { origin: visit.headcount.url });
    await button(page, 'Copy the line that leaves out this browser').click();
    await expect
      .poll(() => page.evaluate<string>('navigator.clipboard.readText()'))
      .toBe('localStorage["headcount.ignore"] = 1');
  });

  test('of goals are on a page of their own, and what is wrong with a line is said once, at its field', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings`);
    await page.getByRole('link', { name: 'Goals and sections' }).click();
    await page.waitForURL('**/settings/goals');
    await page.getByRole('textbox', { name: 'Goals', exact: true }).fill('/thanks');
    await field(page, 'Funnels').fill('/ > /thanks\n/thanks');
    await button(page, 'Save: Goals and sections').click();
    await page.getByText('Line 2 must be 2 to 5 events or paths').waitFor();
    await expect.poll(() => page.getByText('must be 2 to 5 events or paths').count()).toBe(1);
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('funnels');
    await field(page, 'Funnels').fill('');
    await field(page, 'Sections').fill('/docs/** Docs, and more');
    await button(page, 'Save: Goals and sections').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readProject(client)).toMatchObject({
      ...{ goals: ['/thanks'], funnels: [], sections: ['/docs/** Docs, and more'] },
    });
  });

  test.each([
    ['/keys', '/settings/keys'],
    ['/settings#jobs', '/settings/jobs'],
    ['/settings#removal', '/settings/danger'],
    ['?range=7d&work=gaps', '/fix?range=7d&work=gaps'],
    ['?trouble=ai-failures', '/ai?trouble=ai-failures'],
    ['?goal=Sign+up', '/conversions?goal=Sign+up'],
  ])('are found at the address that they had: %s', async (before, now) => {
    const { page } = await visit.look(visit.base + before);
    await page.waitForURL(visit.headcount.url + visit.base + now);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('that are not saved say so, and who leaves the page is asked first', async () => {
    const { page } = await visit.look(visit.base);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    const site = page.getByRole('region', { name: 'Not counted', exact: true });
    await field(page, 'Excluded paths').fill('/secret/**');
    await site.getByText('Unsaved changes').waitFor();
    const asked: string[] = [];
    const answers = [false, false, true];
    const answer = (dialog: Dialog) => {
      asked.push(dialog.message());
      return answers[asked.length - 1] ? dialog.accept() : dialog.dismiss();
    };
    page.on('dialog', answer);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.goBack();
    await expect.poll(() => asked.length).toBe(2);
    await expect.poll(() => field(page, 'Excluded paths').inputValue()).toBe('/secret/**');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(new Set(asked)).toEqual(new Set(['Discard unsaved changes?']));
    // What is saved is left without a question.
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await field(page, 'Excluded paths').fill('/secret/**');
    await button(page, 'Save: Not counted').click();
    await site.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(asked).toHaveLength(3);
    page.off('dialog', answer);
  });

  test('of a new key or user ask before they are left, too', async () => {
    const { page } = await visit.look(`${visit.base}/settings/keys`);
    const asked: string[] = [];
    const answer = (dialog: Dialog) => {
      asked.push(dialog.message());
      return dialog.accept();
    };
    page.on('dialog', answer);
    const overview = page.getByRole('heading', { name: 'Docs', level: 1 });
    await field(page, 'Name').fill('reader');
    await page.getByRole('link', { name: 'Overview' }).click();
    await overview.waitFor();
    expect(asked).toHaveLength(1);
    await page.getByRole('link', { name: 'Installation' }).click();
    await field(page, 'Name of the user').fill('Ada');
    await page.goBack();
    await overview.waitFor();
    expect(asked).toHaveLength(2);
    await page.getByRole('link', { name: 'Installation' }).click();
    await field(page, 'New password').fill('teapot');
    await page.goBack();
    await overview.waitFor();
    expect(asked).toHaveLength(3);
    page.off('dialog', answer);
  });

  test('of frames are saved, and faults are told beside them', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings/sharing`);
    const origins = field(page, 'Origins of these sites');
    await origins.fill('https://www.example.com/stats');
    await button(page, 'Save: Frames').click();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be an origin such as');
    await origins.fill('https://www.example.com\nhttp://localhost:3000');
    await button(page, 'Save: Frames').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readProject(client)).toMatchObject({
      embedOrigins: ['https://www.example.com', 'http://localhost:3000'],
    });
  });

  test('of retention are saved once it is confirmed that something goes, and tell the unit and faults', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings/danger`);
    const details = field(page, 'Keep details for (months)');
    const counts = field(page, 'Keep counts for (months)');
    const hours = field(page, 'Keep hours for (days)');
    expect([await details.inputValue(), await details.getAttribute('placeholder')]).toEqual(['', 'forever']);
    const save = () => button(page, 'Save: Retention').click();
    const dialog = page.getByRole('dialog', { name: 'Delete older counts?' });
    const terms = async () => {
      const { keepDetailsMonths, keepCountsMonths, keepHoursDays } = await readProject(client);
      return [keepDetailsMonths, keepCountsMonths, keepHoursDays];
    };

    await details.fill('two years');
    await save();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a number of months');
    await details.fill('0');
    await save();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be at least 1');

    await details.fill('24');
    await counts.fill('60');
    await save();
    await dialog.getByText('Only a backup can bring them back').waitFor();
    await button(page, 'Cancel').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await terms()).toEqual([null, null, null]);
    await save();
    await button(page, 'Save and delete').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await terms()).toEqual([24, 60, null]);

    await details.fill('36');
    await counts.fill('');
    await hours.fill('30');
    await save();
    await expect.poll(terms).toEqual([36, null, 30]);
    // What goes is told by what the page knows to be kept.
    await settle(page);

    await hours.fill('');
    await save();
    await button(page, 'Save and delete').click();
    await expect.poll(terms).toEqual([36, null, null]);

    const group = field(page, 'Smallest group of visitors');
    await expect.poll(() => group.inputValue()).toBe('3');
    await group.fill('0');
    await save();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be at least 1');
    await group.fill('5');
    await save();
    await expect.poll(async () => (await readProject(client)).minimumGroup).toBe(5);
  });

  test('of reports and alerts are saved, and a trial tells what became of it', async () => {
    const views = `/v1/analytics/${visit.headcount.projectId}/saved-views`;
    const { page, client, open } = await visit.look(`${visit.base}/settings/reports`);
    const { id } = await client.must<SavedViewReply>('POST', views, { name: 'Docs in Germany' });
    await open(`${visit.base}/settings/reports`);
    await page
      .getByRole('group', { name: 'Saved views in the report' })
      .getByLabel('Docs in Germany')
      .check();
    await page.getByLabel('E-mail report').selectOption('weekly');
    await page.getByLabel('Format of the webhook').selectOption('slack');
    await field(page, 'Send mail to').fill('a@example.com\nnobody');
    await button(page, 'Save: Reports and alerts').click();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a mail address');
    await button(page, 'Send a test').click();
    await page.getByText('The project has no recipients').waitFor();
    await field(page, 'Send mail to').fill('a@example.com\nb@example.com');
    await page.getByLabel('A job finished or failed').check();
    await page.getByLabel('An AI client has stopped coming').check();
    await button(page, 'Save: Reports and alerts').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readProject(client)).toMatchObject({
      alerts: ['silent_client', 'finished_job'],
      digest: 'weekly',
      digestViews: [id],
      webhookFormat: 'slack',
      mailTo: ['a@example.com', 'b@example.com'],
    });
    await button(page, 'Send a test').click();
    const sent = page.locator('#deliveries li', { hasText: 'test message' });
    await expect.poll(() => sent.allInnerTexts()).toHaveLength(2);
    await new Outbox(visit.headcount.context).look();
    await page.reload();
    await expect
      .poll(() => sent.allInnerTexts())
      .toEqual([
        expect.stringContaining('Not sent to a@example.com'),
        expect.stringContaining('Not sent to b@example.com'),
      ]);
  });

  test('of jobs are saved', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings/jobs`);
    await field(page, 'Repository').fill('https://github.com/ada/site');
    await field(page, 'Model').fill('anthropic/claude-opus-4-5');
    await field(page, 'Start from').fill('main');
    await field(page, 'Code host').selectOption('github');
    await field(page, 'Branch prefix').fill('bot/');
    await field(page, 'Docs folder').fill('website/docs');
    await field(page, 'Files that agents may change').fill('data/*.yml\n!api/**');
    await field(page, 'Other repositories that agents may read').fill('https://github.com/acme/product');
    await field(page, 'Hosts that agents may read').fill('docs.example.com\nwww.example.org');
    await page.getByLabel('Open pull requests as drafts').check();
    await page.getByText('Use a GitHub App instead of a token').click();
    await field(page, 'App ID or client ID').fill('12345');
    await field(page, 'Installation ID').fill('678');
    await button(page, 'Save: Jobs').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readProject(client)).toMatchObject({
      repository: 'https://github.com/ada/site',
      model: 'anthropic/claude-opus-4-5',
      ref: 'main',
      forge: 'github',
      branchPrefix: 'bot/',
      docsFolder: 'website/docs',
      agentPaths: ['data/*.yml', '!api/**'],
      agentHosts: ['docs.example.com', 'www.example.org'],
      agentRepositories: ['https://github.com/acme/product'],
      draft: true,
      githubAppId: '12345',
      githubInstallationId: 678,
    });
  });

  test('that are secrets are written, replaced and removed, and never read back', async () => {
    const { page, client } = await visit.look(`${visit.base}/settings/jobs`);
    const secret = 'sesame-7f3a9c21b8';
    for (const before of ['not set', '•••••••••••• is set']) {
      const token = field(page, 'Token for the repository');
      await expect.poll(() => token.getAttribute('placeholder')).toBe(before);
      await token.fill(secret);
      await button(page, 'Save: Jobs').click();
      await expect.poll(() => token.inputValue()).toBe('');
      expect((await readProject(client)).secrets.forgeToken).toBe(true);
    }
    await page.reload();
    await settle(page);
    expect(await page.content()).not.toContain(secret);
    await button(page, 'Remove: Token for the repository').click();
    await button(page, 'Remove: Token for the repository').waitFor({ state: 'detached' });
    expect((await readProject(client)).secrets.forgeToken).toBe(false);
  });

  test('of the installation have the password in them, on a page of their own', async () => {
    const { page } = await visit.look(`${visit.base}/settings`);
    expect(await field(page, 'Current password').count()).toBe(0);
    await page.getByRole('link', { name: 'Installation' }).click();
    await field(page, 'Current password').fill('wrong');
    await field(page, 'New password').fill('another good one');
    await button(page, 'Change password').click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The password is wrong.');
    await field(page, 'Current password').fill(password);
    await button(page, 'Change password').click();
    await page.getByText('Changed', { exact: true }).waitFor();
    await signIn(visit.headcount.url, 'another good one');
  });
});

describe('sharing', () => {
  test('makes a page that everybody with the link may see, until it is revoked', async () => {
    await visit.headcount.hit({ u: 'https://docs.example/start' });
    const { page, client } = await visit.look(`${visit.base}/settings/sharing`);
    await button(page, 'Create share link').click();
    await button(page, 'Revoke this share link').waitFor();
    const { links } = await client.must<LinksReply>('GET', `${visit.admin}/links`);
    const path = new URL(links[0]?.url ?? '').pathname;
    const stranger = await openPage(visit.browser, { url: visit.headcount.url });
    await stranger.open(path);
    await stranger.page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    await stranger.page.getByRole('link', { name: '/start' }).waitFor();
    await expect.poll(() => stranger.page.locator('[data-figure=human]').innerText()).toBe('1');
    expect(await stranger.page.getByRole('heading', { name: 'Not counted' }).count()).toBe(0);
    expect(stranger.problems).toEqual([]);
    await button(page, 'Revoke this share link').click();
    await button(page, 'Revoke share link').click();
    await page.getByText('Nothing in this project is public.').waitFor();
    await stranger.open(path);
    await expect.poll(() => stranger.page.getByRole('alert').innerText()).toContain('may have been revoked');
  });

  test('makes a badge', async () => {
    const { page } = await visit.look(`${visit.base}/settings/sharing`);
    await button(page, 'Create badge').click();
    const badge = page.getByRole('img', { name: 'Badge of Docs' });
    await badge.waitFor();
    await expect
      .poll(() => page.evaluate<number>('document.querySelector(".badge").naturalWidth'))
      .toBeGreaterThan(50);
    await expect.poll(() => page.locator('.rows code').innerText()).toMatch(/^!\[Visitors\]\(http.*\.svg\)$/);
    await button(page, 'Revoke this badge').click();
    await button(page, 'Revoke badge').click();
    await badge.waitFor({ state: 'detached' });
  });
});
