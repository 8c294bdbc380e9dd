import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import type { Day } from '../counting/calendar.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import { oneLine } from '../text/one-line.ts';
import type { Notification } from './notification.ts';

/** Something that happened, with the reason in words. */
export interface Alert {
  kind: AlertKind;
  /** Within the kind; alerts with the same key are sent once. */
  key: string;
  /** After the project's name and a colon. */
  title: string;
  paragraphs: readonly string[];
  /** Below the project's page; empty: that page. */
  page: string;
  facts: Readonly<Record<string, unknown>>;
}

/** A day that was sealed a moment ago. */
export interface SealedDay {
  projectId: string;
  day: Day;
  /** Of the project, with a count. */
  firstDay: Day;
}

export type FindAlerts = (store: AnalyticsStore, sealed: SealedDay) => Promise<Alert[]>;

/** Identifies the notification of an alert, which is sent once. */
export function keyOf({ kind, key }: Pick<Alert, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}

/** @param url of the project's dashboard */
export function notificationOf(
  { kind, title, paragraphs, page, facts }: Alert,
  project: Notification['project'],
  url: string,
): Notification {
  return {
    kind: `alert.${kind}`,
    title: oneLine(`${project.name}: ${title}`),
    project,
    paragraphs: paragraphs.map(oneLine),
    tables: [],
    url: `${url}${page}`,
    facts,
  };
}
