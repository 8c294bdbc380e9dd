import type { Dialog } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from '../support/dashboard/page.ts';
import { reportVisits } from '../support/dashboard/report.ts';

const visit = reportVisits();

test('notes are added to the chart, told by it, and removed', async () => {
  const { page } = await visit.look('?range=7d');
  const slider = page.getByRole('slider');
  await page.getByRole('button', { name: 'Notes on the chart' }).click();
  const dialog = page.getByRole('dialog', { name: 'Notes on the chart' });
  await dialog.getByText('Nothing is noted on these days.').waitFor();
  await dialog.getByLabel('Day').fill('2026-11-19');
  await dialog.getByLabel('What happened').fill('Newsletter <b>no. 12</b>');
  await dialog.getByRole('button', { name: 'Add note' }).click();
  await dialog.getByRole('listitem').getByText('Newsletter <b>no. 12</b>').waitFor();
  await expect.poll(() => dialog.getByLabel('What happened').inputValue()).toBe('');
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await slider.press('End');
  await slider.press('ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/19 Nov 2026.*Newsletter/);
  await page.getByRole('button', { name: 'Notes on the chart' }).click();
  await dialog.getByRole('button', { name: 'Remove the note of 19 Nov 2026: Newsletter' }).click();
  await dialog.getByText('Nothing is noted on these days.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await slider.press('End');
  await slider.press('ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toContain('Newsletter');
});

test.each([
  ['Notes on the chart', 'What happened'],
  ['Save or share', 'Name of the view that is shown'],
])('what was typed in the dialog "%s" is not lost without a question', async (name, label) => {
  const { page } = await visit.look('?range=7d');
  const asked: string[] = [];
  const answer = (dialog: Dialog) => {
    asked.push(dialog.message());
    return asked.length > 2 ? dialog.accept() : dialog.dismiss();
  };
  page.on('dialog', answer);
  const dialog = page.getByRole('dialog', { name });
  const opener = page.getByRole('button', { name, exact: true }).first();
  // With nothing typed it closes at once.
  await opener.click();
  await dialog.getByLabel(label).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await opener.click();
  await dialog.getByLabel(label).fill('Version 2');
  // The second time browsers close it themselves.
  for (const times of [1, 2]) {
    await page.keyboard.press('Escape');
    await expect.poll(() => asked.length).toBe(times);
    await expect.poll(() => dialog.getByLabel(label).inputValue()).toBe('Version 2');
  }
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(asked).toEqual(Array(3).fill('Discard unsaved changes?'));
  page.off('dialog', answer);
});
