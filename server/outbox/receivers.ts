import { randomText } from '../projects/key.ts';
import type { Announcement, NewDelivery } from '../store/outbox.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Letter } from './letter.ts';

/** To everybody whom the project names, one by one: who cannot be reached keeps nothing from the others. */
export function addressed(
  { id: projectId, settings, secrets }: ListedProject,
  letter: Letter,
  { key, at }: { key: string; at: number },
): Announcement {
  const receivers: Omit<NewDelivery, 'id'>[] = settings.mailTo.map((receiver) => ({
    channel: 'mail',
    receiver,
  }));
  if (secrets.includes('webhookUrl')) receivers.push({ channel: 'webhook', receiver: '' });
  const { kind, title } = letter;
  return {
    ...{ projectId, key, kind, title, letter: JSON.stringify(letter), at },
    deliveries: receivers.map((receiver) => ({ id: `msg_${randomText(20)}`, ...receiver })),
  };
}

export function hasReceivers({ settings, secrets }: ListedProject): boolean {
  return settings.mailTo.length > 0 || secrets.includes('webhookUrl');
}
