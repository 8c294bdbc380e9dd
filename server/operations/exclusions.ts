import { exclusionSettings } from '../../shared/project/exclusion-settings.ts';
import {
  type ExclusionPreviewReply,
  exclusionHelpReply,
  exclusionPreviewReply,
  exclusionsChange,
} from '../../shared/project/project-change.ts';
import type { Condition } from '../../shared/reports/pairs.ts';
import type { BoundedCount } from '../../shared/reports/replies.ts';
import { unmeasuredIn } from '../analytics/combined.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { table } from '../commands/terminal/table.ts';
import { Calendar, fromDay } from '../counting/calendar.ts';
import { preparePaths } from '../counting/page/path-pattern.ts';
import { addressOf } from '../http/client-address.ts';
import { route } from '../http/route.ts';
import { upperBits } from '../net/address.ts';
import type { Store } from '../store/store.ts';
import { maxBodyBytes, operation, projectPath } from './operation.ts';
import { readSettings, settingOptions } from './settings.ts';

const days = 30;
const all = { limit: 100, offset: 0 };

type Previewed = ExclusionPreviewReply['rules'][number];
type Range = typeof all & { projectId: string; from: number; to: number };

const unknown = {
  ...{ views: null, visitors: null },
  message: 'It is not known, as what was counted does not hold this.',
};

const boundsOf = ({ total, bounds }: BoundedCount) => bounds?.total ?? { from: total ?? 0, to: total ?? 0 };

async function previewCounts(
  store: Store,
  range: Range,
  condition: Condition,
): Promise<Omit<Previewed, 'rule'>> {
  const asked = { ...range, by: null, measure: 'visitors', conditions: [condition] } as const;
  const { totals, days } = await store.readCombined(asked);
  const counts = { views: boundsOf(totals.views), visitors: boundsOf(totals.visitors) };
  const { days: missing } = unmeasuredIn(days, 'views') ?? {};
  const message = missing === undefined ? null : `Of ${missing} of these days only the most is known.`;
  return { ...counts, message };
}

async function previewRule(
  store: Store,
  range: Range,
  rule: Previewed['rule'],
  fresh: readonly string[],
): Promise<Omit<Previewed, 'rule'>> {
  const is = { isNot: false, values: fresh };
  if (rule === 'countries') return previewCounts(store, range, { ...is, name: 'country', how: 'is' });
  if (rule === 'paths') {
    await preparePaths(fresh);
    return previewCounts(store, range, { ...is, name: 'path', how: 'glob' });
  }
  if (rule !== 'dataCenters') return unknown;
  const { rows } = await store.readCounter({ ...range, counter: 'people-networks' });
  if (rows.length === 0) return unknown;
  const views = rows.find(({ group }) => group === 'rented')?.hits ?? 0;
  const message = 'Of visitors and of imported logs it is not known.';
  return { views: { from: views, to: views }, visitors: null, message };
}

/** What new rules would have left out lately. */
export const preview = operation({
  via: reportRoute,
  name: 'analytics.exclusions_preview.read',
  method: 'POST',
  path: '/v1/analytics/:projectId/exclusions-preview',
  access: 'project',
  summary: 'Preview exclusions: what they would have left out in the last 30 days',
  description: 'Nothing is changed.',
  body: { schema: exclusionsChange, maxBytes: maxBodyBytes },
  answers: { 200: { says: 'Views and visitors by rule', json: exclusionPreviewReply } },
  async run({ store, now }, { project: { id: projectId, settings: present }, body }) {
    const to = new Calendar(present.timeZone).dayOf(now()) + 1;
    const range = { projectId, from: to - days, to, ...all };
    const rules: Previewed[] = [];
    for (const rule of Object.keys(exclusionSettings) as Previewed['rule'][]) {
      const [given, before] = [body[rule], present[exclusionSettings[rule]]];
      const fresh = Array.isArray(given) ? given.filter((one) => !(before as string[]).includes(one)) : [];
      const isNew = fresh.length > 0 || (rule === 'dataCenters' && given === true && before === false);
      if (isNew) rules.push({ rule, ...(await previewRule(store, range, rule, fresh)) });
    }
    return { from: String(fromDay(range.from)), to: String(fromDay(to)), rules };
  },
  command: {
    name: 'project preview',
    usage: '<project>  [exclusions]',
    options: Object.fromEntries(
      Object.entries(settingOptions({})).filter(([option]) => /^(no-)?exclude-(?!past)|^host$/.test(option)),
    ),
    read({ values }) {
      const given = readSettings(values) as Record<string, unknown>;
      const body = Object.entries(exclusionSettings).map(([rule, name]) => [rule, given[name]]);
      return { body: Object.fromEntries(body) };
    },
    print: ({ from, to, rules }) =>
      rules.length === 0
        ? 'No rule is new.\n'
        : table(
            ['RULE', 'VIEWS', 'VISITORS', `FROM ${from} TO ${to}, EXCLUSIVE`],
            rules.map(({ rule, views, visitors, message }) => [
              ...[rule, written(views), written(visitors), message ?? ''],
            ]),
          ),
  },
});

function written(count: Previewed['views']): string {
  if (count === null) return 'not known';
  return count.from === count.to ? String(count.from) : `${count.from} to ${count.to}`;
}

/** The addresses that one visitor has: of IPv6 a /64. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const { high, low } = upperBits(address);
  const words = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff];
  return `${words.map((word) => word.toString(16)).join(':')}::/64`;
}

function messageOf(hasNetworks: boolean, isKnown: boolean): string {
  if (!hasNetworks)
    return 'Networks are not known: the operator of the server sets HEADCOUNT_ASN_DATABASE to a file that names them.';
  if (!isKnown) return `No view of a person was seen in the last ${days} days, so that nothing is known yet.`;
  return 'These are views by script, image and report; of visitors and of imported logs it is not known. Data centers are the networks of large clouds that are known to rent machines; others are not among them.';
}

/** What somebody has to know before something is excluded. */
export const exclusionOperations = [
  preview,
  route({
    name: 'admin.exclusions.read',
    method: 'GET',
    path: `${projectPath}/exclusions`,
    access: 'session_project',
    role: 'editor',
    summary: 'Read what an exclusion would leave out: the own address, and browsers in data centers',
    answers: { 200: { says: 'Address and numbers', json: exclusionHelpReply } },
    async handle(context, { project, req }) {
      const { store, config, now } = context;
      const address = addressOf(context, req);
      const own = {
        address,
        network: networkOf(address),
        isExcluded: project.excludes.address?.(address) ?? false,
      };
      const to = project.calendar.dayOf(now()) + 1;
      const range = { projectId: project.id, from: to - days, to, ...all };
      const [networks, dropped] = await Promise.all([
        store.readCounter({ ...range, counter: 'people-networks' }),
        store.readDropped(range),
      ]);
      const leftOut = dropped.rows.find(({ reason }) => reason === 'data_center')?.hits ?? 0;
      const counted = networks.rows.find(({ group }) => group === 'rented')?.hits ?? 0;
      const elsewhere = networks.rows.filter(({ group }) => group !== 'rented');
      const numbers = {
        ...{ from: String(fromDay(to - days)), to: String(fromDay(to)), inDataCenters: counted + leftOut },
        elsewhere: elsewhere.reduce((sum, { hits }) => sum + hits, 0),
      };
      const isKnown = numbers.inDataCenters + numbers.elsewhere > 0;
      return {
        ...own,
        dataCenters: isKnown ? numbers : null,
        message: messageOf(config.clients.asnDatabase !== null, isKnown),
      };
    },
  }),
];
