import { randomText } from '../projects/key.ts';
import type { Announcement, NewDelivery } from '../store/outbox.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Notification } from './notification.ts';

/** A delivery for each recipient of the project, so that one that cannot be reached does not affect the others. */
export function addressed(
  { id: projectId, settings, secrets }: ListedProject,
  notification: Notification,
  { key, at }: { key: string; at: number },
): Announcement {
  const deliveries: Omit<NewDelivery, 'id'>[] = settings.mailTo.map((receiver) => ({
    channel: 'mail',
    receiver,
  }));
  if (secrets.includes('webhookUrl')) deliveries.push({ channel: 'webhook', receiver: '' });
  const { kind, title } = notification;
  return {
    ...{ projectId, key, kind, title, letter: JSON.stringify(notification), at },
    deliveries: deliveries.map((delivery) => ({ id: `msg_${randomText(20)}`, ...delivery })),
  };
}

export function hasRecipients({ settings, secrets }: ListedProject): boolean {
  return settings.mailTo.length > 0 || secrets.includes('webhookUrl');
}
