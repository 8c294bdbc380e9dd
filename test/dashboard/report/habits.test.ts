import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findViolations, scrollThrough, settle } from '../../support/dashboard/page.ts';
import { openChartTable, reportVisits } from '../../support/dashboard/report.ts';

const visit = reportVisits();

const query = (page: Page) => new URL(page.url()).search;
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

type Pressed = Pick<KeyboardEventInit, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'metaKey'>;

/** What browsers send where the keyboard writes other letters. */
async function pressWith(page: Page, event: Pressed): Promise<void> {
  await page.evaluate((init) => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
  }, event);
}

describe('a key chooses', () => {
  test('a range', async () => {
    const { page } = await visit.look();
    const ranges = {
      ...{ d: 'today', e: 'yesterday', h: '2d', w: '7d', f: '28d', n: '90d', m: 'month' },
      ...{ p: 'last-month', y: 'ytd', l: 'year', a: 'all', W: '7d' },
    };
    for (const [key, range] of Object.entries(ranges)) {
      await page.keyboard.press(key);
      await expect.poll(() => query(page)).toBe(`?range=${range}`);
    }
  });

  test('the usual range, periods beside, a comparison, and no filter any more', async () => {
    const { page } = await visit.look('?range=7d&source=google.com');
    const press = async (key: string, expected: string) => {
      await page.keyboard.press(key);
      await expect.poll(() => query(page)).toBe(expected);
    };
    await press('x', '?range=7d&source=google.com&compare=before');
    await press('x', '?range=7d&source=google.com');
    await press('Escape', '?range=7d');
    await press('ArrowLeft', '?range=2026-11-07..2026-11-13');
    await press('ArrowRight', '?range=7d');
    await press('ArrowRight', '?range=7d');
    await press('t', '');
  });

  test('the search of the first panel, where letters are letters until it is left', async () => {
    const { page } = await visit.look();
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox').first();
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('wd?');
    await expect.poll(() => search.inputValue()).toBe('wd?');
    await page.keyboard.press('Escape');
    await expect.poll(() => search.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('w');
    await expect.poll(() => query(page)).toBe('?range=7d');
  });

  test('what is typed into it while it is asked stays', async () => {
    const { page } = await visit.look();
    // As fast as nobody types: when the address has changed, and before the page is painted.
    await page.evaluate(() => {
      const replace = history.replaceState.bind(history);
      const typeOn = () => document.execCommand('insertText', false, 's');
      history.replaceState = (...state) => {
        replace(...state);
        if (location.search.endsWith('=guide')) setTimeout(typeOn);
      };
    });
    const search = page.getByRole('searchbox').first();
    await search.pressSequentially('guide');
    await expect.poll(() => query(page)).toBe('?search=guides');
    expect(await search.inputValue()).toBe('guides');
  });

  test('the same where the keyboard writes Arabic or Greek letters, and another where Latin ones are elsewhere', async () => {
    const { page } = await visit.look();
    await page.keyboard.press('m');
    await expect.poll(() => query(page)).toBe('?range=month');
    await pressWith(page, { key: 'ص', code: 'KeyW' });
    await expect.poll(() => query(page)).toBe('?range=7d');
    await pressWith(page, { key: 'δ', code: 'KeyD' });
    await expect.poll(() => query(page)).toBe('?range=today');
    // French keyboards have an A where others have a Q.
    await pressWith(page, { key: 'a', code: 'KeyQ' });
    await expect.poll(() => query(page)).toBe('?range=all');
  });

  test('nothing together with Ctrl, Alt or Meta', async () => {
    const { page } = await visit.look();
    await page.keyboard.press('d');
    await expect.poll(() => query(page)).toBe('?range=today');
    for (const pressed of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }]) {
      await pressWith(page, { key: 'w', code: 'KeyW', ...pressed });
    }
    await pressWith(page, { key: 'm', code: 'KeyM' });
    await expect.poll(() => query(page)).toBe('?range=month');
    await page.goBack();
    await expect.poll(() => query(page)).toBe('?range=today');
  });
});

test('all keys are in a list, in which they can be turned off', async () => {
  const shown = await visit.look();
  const { page } = shown;
  await page.keyboard.press('?');
  await dialog(page).waitFor();
  await expect.poll(() => dialog(page).locator('dt').count()).toBe(22);
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('w');
  const used = dialog(page).getByRole('checkbox', { name: 'Use these keys' });
  await used.uncheck();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await page.keyboard.press('w');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  expect(query(page)).toBe('');
  await used.check();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await page.keyboard.press('w');
  await expect.poll(() => query(page)).toBe('?range=7d');
  expect(shown.problems).toEqual([]);
});

test('buttons lead to the period before and back: to as many days, to months, and to years', async () => {
  const { page, open } = await visit.look();
  const before = {
    today: 'yesterday',
    'last-week': '2026-11-02..2026-11-08',
    month: 'last-month',
    'last-month': '2026-09-01..2026-09-30',
    ytd: '2025-01-01..2025-12-31',
    '2026-02-01..2026-03-31': '2025-12-01..2026-01-31',
  };
  for (const [range, expected] of Object.entries(before)) {
    await open(`${visit.base}?range=${range}`);
    await page.getByRole('button', { name: 'Previous period' }).click();
    await expect.poll(() => query(page)).toBe(`?range=${expected}`);
    await page.getByRole('button', { name: 'Next period' }).click();
    await expect.poll(() => query(page)).toBe(`?range=${range}`);
  }
});

test('there is no period after today, and none beside all days', async () => {
  const { page, open } = await visit.look('?range=today');
  const isDisabled = (name: string) => page.getByRole('button', { name }).isDisabled();
  expect([await isDisabled('Previous period'), await isDisabled('Next period')]).toEqual([false, true]);
  await open(`${visit.base}?range=all`);
  expect([await isDisabled('Previous period'), await isDisabled('Next period')]).toEqual([true, true]);
});

test('further ranges are chosen beside days, and stay on the way over a page without numbers', async () => {
  const { page } = await visit.look();
  await page.getByRole('button', { name: 'Custom…' }).click();
  await page
    .getByRole('navigation', { name: 'More ranges' })
    .getByRole('link', { name: 'Last week' })
    .click();
  await expect.poll(() => query(page)).toBe('?range=last-week');
  await settle(page);
  await expect.poll(() => page.locator('.report-days').innerText()).toContain('9 Nov 2026 to 15 Nov 2026');
  const tab = (name: string) => page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name });
  await tab('Jobs').click();
  await page.waitForURL('**/jobs');
  await tab('AI').first().click();
  await expect.poll(() => query(page)).toBe('?range=last-week');
});

test('Ctrl+K finds what somebody may call a page, in each language', async () => {
  const { page } = await visit.look('?range=7d');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  const options = page.getByRole('dialog').getByRole('option');
  const find = async (words: readonly string[]) => {
    for (const word of words) {
      await field.fill(word);
      await expect.poll(() => options.count(), { message: word }).toBeGreaterThan(0);
    }
  };
  const english =
    'share link invite user delete export csv import dark language goal key mail alert viewer api help';
  await find(english.split(' '));
  await field.fill('share');
  expect(await options.allInnerTexts()).toEqual(['Sharing']);
  await field.fill('deutsch');
  await options.click();
  await page.locator('html[lang=de]').waitFor();
  await page.keyboard.press('Control+k');
  await find(
    'teilen link einladen nutzer löschen export csv import dunkel sprache ziel schlüssel mail alarm betrachter api hilfe'.split(
      ' ',
    ),
  );
  await field.fill('العربية');
  await options.click();
  await page.locator('html[lang=ar]').waitFor();
  await page.keyboard.press('Control+k');
  await find(
    'مشاركة رابط دعوة مستخدم حذف تصدير csv استيراد داكنة لغة هدف مفتاح بريد تنبيه webhook قارئ api مساعدة'.split(
      ' ',
    ),
  );
  await field.fill('english');
  await options.click();
  await page.locator('html[lang=en]').waitFor();
});

test('Ctrl+K leads to each page, range and setting by a part of its name, with arrows and Enter', async () => {
  const shown = await visit.look('?range=7d');
  const { page } = shown;
  const field = page.getByRole('combobox', { name: 'Go to' });
  const go = async (text: string, ...keys: string[]) => {
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type(text);
    for (const key of [...keys, 'Enter']) await page.keyboard.press(key);
    await field.waitFor({ state: 'detached' });
  };
  await go('sett shar');
  await page.waitForURL('**/settings/sharing');
  await go('overv');
  await expect.poll(() => new URL(page.url()).pathname + query(page)).toBe(`${visit.base}?range=7d`);
  await go('time range year', 'ArrowDown', 'ArrowUp');
  await expect.poll(() => query(page)).toBe('?range=ytd');
  await go('installation');
  await page.waitForURL('**/installation');
  await page.getByRole('button', { name: 'Go to' }).click();
  await field.waitFor();
  const option = page.getByRole('option').first();
  await expect.poll(() => option.getAttribute('id')).toBe(await field.getAttribute('aria-activedescendant'));
  expect(await findViolations(page)).toEqual([]);
  await field.fill('no such place');
  await page.getByText('Nothing has this name.').waitFor();
  await field.fill('help access logs');
  const [help] = await Promise.all([page.waitForEvent('popup'), page.getByRole('option').first().click()]);
  await help.waitForURL('**/help/access-logs.html');
  await help.close();
  expect(shown.problems).toEqual([]);
});

test('the chart has a point a day, a week or a month, as it is chosen', async () => {
  const { page } = await visit.look('?range=90d');
  const interval = page.getByRole('combobox', { name: 'Interval' });
  const points = async () => Number(await page.getByRole('slider').getAttribute('aria-valuemax')) + 1;
  await expect.poll(points).toBe(90);
  await interval.selectOption('Weeks');
  await page.getByText('Visitors per week').first().waitFor();
  await expect.poll(points).toBe(14);
  await page.keyboard.press('i');
  await expect.poll(() => query(page)).toBe('?range=90d&interval=month');
  const table = await openChartTable(page);
  await expect.poll(() => table.locator('tbody tr').count()).toBe(await points());
});

test('all reports of the page come as one archive, of its range and filters', async () => {
  const { page } = await visit.look('?range=last-month&source=google.com');
  const link = page.getByRole('link', { name: 'All reports as a ZIP file' });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toMatch(/_reports_2026-10-01_2026-10-31\.zip$/);
  await expect.poll(() => link.getAttribute('href')).toContain('source=google.com');
});

test('each panel leads to what the documentation says of it', async () => {
  const { page, open } = await visit.look();
  const found = new Set<string>();
  for (const end of ['', '/ai', '/search', '/conversions', '/fix', '/measurement']) {
    await open(visit.base + end);
    await scrollThrough(page);
    const links = await page.getByRole('link', { name: /^Help: / }).all();
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) found.add((await link.getAttribute('href')) ?? '');
  }
  for (const href of found) {
    const { url } = await fetch(new URL(href, visit.headcount.url));
    expect([href, new URL(url).pathname]).toEqual([
      href,
      expect.stringMatching(/^\/help\/(?!dashboard)[\w-]+\.html$/),
    ]);
  }
});
