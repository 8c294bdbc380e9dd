import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { FactorReply } from '../../shared/accounts/second-factor.ts';
import { password } from '../support/dashboard/dashboard.ts';
import { type DashboardPage, findViolations, openPage } from '../support/dashboard/page.ts';
import { accept, invite, join, tokenIn, userPassword } from '../support/dashboard/people.ts';
import { codeAt, turnOn } from '../support/dashboard/second-factor.ts';
import { button, dashboardVisits, field } from '../support/dashboard/visit.ts';

const visit = dashboardVisits();

/** One that no earlier sign-in has used. */
const nextCode = (secret: string) => codeAt(secret, Date.now() + 30_000);

async function openSignIn(): Promise<DashboardPage> {
  const shown = await openPage(visit.browser, { url: visit.headcount.url });
  await shown.open('/sign-in');
  return shown;
}

async function confirm(page: Page, code: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByLabel('Code').fill(code);
}

describe('the second factor', () => {
  test('is turned on with an app, gives recovery codes once, and is turned off', async () => {
    const { page, client } = await visit.look('/installation');
    await button(page, 'Turn on the second factor').click();
    const key = await page.getByRole('region', { name: 'the key' }).innerText();
    const secret = key.replaceAll(/\s/g, '');
    await page.getByRole('img', { name: 'The key as a picture for an app' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, '000000');
    await button(page, 'Turn on').click();
    await page.getByText('is wrong or already used: wait for the next one').waitFor();
    await confirm(page, codeAt(secret, Date.now()));
    await button(page, 'Turn on').click();
    const shown = page.getByRole('dialog', { name: 'Keep these recovery codes' });
    const codes = (await shown.locator('code').innerText()).split('\n');
    expect(codes).toHaveLength(10);
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'I have kept them').click();
    await shown.waitFor({ state: 'detached' });
    await page.getByText('10 recovery codes left.').waitFor();
    expect(await page.content()).not.toContain(codes[0]);

    await button(page, 'New recovery codes').click();
    await confirm(page, codes[0] as string);
    await button(page, 'Make new codes').click();
    const renewed = (await shown.locator('code').innerText()).split('\n');
    await button(page, 'I have kept them').click();
    await button(page, 'Turn off the second factor').click();
    await confirm(page, renewed[0] as string);
    await button(page, 'Turn off').click();
    await button(page, 'Turn on the second factor').waitFor();
    const factor = await client.must<FactorReply>('GET', '/v1/admin/second-factor');
    expect(factor).toEqual({ isOn: false, recoveryCodes: 0 });
  });

  test('is asked for in a second step, after the password', async () => {
    const { secret, recoveryCodes } = await turnOn(await visit.signIn(), Date.now());
    const { page, problems } = await openSignIn();
    await field(page, 'Password').fill('a wrong one');
    await button(page, 'Sign in').click();
    await page.getByText('The password is wrong.').waitFor();
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Second factor', level: 1 }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    // Where the cursor is.
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await page.getByText('is wrong or already used: wait for the next one').waitFor();
    await button(page, 'Start over').click();
    await expect.poll(() => field(page, 'Password').inputValue()).toBe('');
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await field(page, 'Code').fill(nextCode(secret));
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    await button(page, 'Sign out').click();
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await field(page, 'Code').fill(recoveryCodes[0] as string);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });

  test('is still asked for after a link has set the password', async () => {
    const administrator = await visit.signIn();
    const { id, link } = await invite(administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
    const { secret } = await turnOn(await accept(visit.headcount, link), Date.now(), userPassword);
    const again = await administrator.must<{ link: string }>('POST', `/v1/users/${id}/link`);
    const { page, open } = await openSignIn();
    await open(`/invitation#${tokenIn(again.link)}/ada`);
    await field(page, 'Password').fill('another of their own');
    await field(page, 'Repeat the password').fill('another of their own');
    await button(page, 'Set password and sign in').click();
    await field(page, 'Name').fill('ada');
    await field(page, 'Password').fill('another of their own');
    await button(page, 'Sign in').click();
    await field(page, 'Code').fill(nextCode(secret));
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });

  test('of somebody who has lost it is reset by an owner', async () => {
    const { page, client, open } = await visit.look('/installation');
    const ada = await join(visit.headcount, client, 'ada', [{ projectId: null, role: 'viewer' }]);
    await turnOn(ada, Date.now(), userPassword);
    await open('/installation');
    await page.getByText('Has a password and a second factor').waitFor();
    await button(page, 'Reset the second factor of ada').click();
    await page.getByRole('dialog').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Reset second factor').click();
    await page.getByText('Has a password', { exact: true }).waitFor();
    expect(await ada.must('GET', '/v1/admin/second-factor')).toEqual({ isOn: false, recoveryCodes: 0 });
    // At once, and not when all is read again after a minute.
    await page.getByText('reset the second factor of').waitFor({ timeout: 30_000 });
  });
});
