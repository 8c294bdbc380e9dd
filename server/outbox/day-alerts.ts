import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { Alert, FindAlerts, SealedDay } from './alert.ts';
import { busyClients, newClients, silentClients } from './client-alerts.ts';
import { spoofing } from './spoofing-alert.ts';
import { silentWays } from './way-alerts.ts';

type DayAlert = Exclude<AlertKind, 'finished_job'>;

const finders: Readonly<Record<DayAlert, FindAlerts>> = {
  new_client: newClients,
  silent_client: silentClients,
  busy_client: busyClients,
  spoofing,
  silent_way: silentWays,
};

/** What the sums of the day give reason to tell, of the kinds that are asked for. */
export async function findDayAlerts(
  store: AnalyticsStore,
  sealed: SealedDay,
  kinds: readonly AlertKind[],
): Promise<Alert[]> {
  const found: Alert[] = [];
  for (const kind of kinds) {
    if (kind !== 'finished_job') found.push(...(await finders[kind](store, sealed)));
  }
  return found;
}
