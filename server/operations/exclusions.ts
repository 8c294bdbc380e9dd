import { exclusionHelpReply } from '../../shared/project/project-change.ts';
import { fromDay } from '../counting/calendar.ts';
import { addressOf } from '../http/client-address.ts';
import { route } from '../http/route.ts';
import { upperBits } from '../net/address.ts';
import { projectPath } from './operation.ts';

const days = 30;
const all = { limit: 100, offset: 0 };

/** What somebody has to know before something is excluded. */
export const exclusionOperations = [
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
        store.readTally({ ...range, tally: 'people-networks' }),
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
