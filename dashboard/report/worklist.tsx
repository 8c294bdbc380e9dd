import { useState } from 'preact/hooks';
import type { FaultKind, FaultReply, FixAllReply, WorklistReply } from '../../shared/reports/faults.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Failure } from '../components/notice.tsx';
import { formatDay } from '../formats/day.ts';
import { formatCount } from '../formats/number.ts';
import { readable, safeLink } from '../formats/text.ts';
import { Fix } from '../job/fix.tsx';
import { useMayOpen } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t as common } from '../texts/common.ts';
import { t as words } from '../texts/faults.ts';
import { fill, mix, plural } from '../texts/part.ts';
import { t } from '../texts/worklist.ts';
import { FaultFacts } from './fault-facts.tsx';
import { PagePath } from './filter-link.tsx';
import { Panel } from './panel.tsx';
import type { Part, View } from './view.ts';

export const worklistPart: Part = { name: 'worklist', show: Worklist };

/** What is wrong with pages, and what was done about it. */
function Worklist({ base, projectId }: View) {
  const { query } = useRouter();
  const [kind, state] = [
    known(words.kinds, query.get('worklist.kind')),
    known(t.states, query.get('worklist.state')),
  ];
  const mayFix = useMayOpen('/jobs');
  const [fixed, setFixed] = useState<{ kind: FaultKind; reply: FixAllReply }>();
  return (
    <div class="panel-wide">
      {fixed && fixed.kind === kind && <Fixed {...fixed.reply} />}
      <Panel<WorklistReply>
        title={t.worklist}
        name="worklist"
        request={{
          ...{ address: `${base}/worklist`, dateFrom: null, dateTo: null },
          own: { ...(kind && { kind }), ...(state && { state }) },
        }}
        days={t.ofTheLast28Days}
        hasSearch={false}
        isFirst
        followsChanges
        empty={kind || state ? t.noSuchFault : t.nothingIsWrong}
        of={kind || state ? undefined : 'ai'}
        choice={
          <>
            <Choice name="kind" label={t.kind} all={t.allKinds} options={words.kinds} value={kind} />
            <Choice name="state" label={t.state} all={t.allStates} options={t.states} value={state} />
          </>
        }
        rowsOf={({ faults }) => faults}
      >
        {({ faults, states }) => (
          <>
            <div class="worklist-head">
              <Totals states={states} />
              {kind && mayFix && (states.open ?? 0) + (states.no_change ?? 0) > 0 && (
                <FixAll {...{ base, kind }} onFixed={(reply) => setFixed({ kind, reply })} />
              )}
            </div>
            <ul class="worklist" aria-label={t.worklist}>
              {faults.map((fault) => (
                <Row key={fault.id} {...{ fault, base, projectId: projectId ?? '', mayFix }} />
              ))}
            </ul>
          </>
        )}
      </Panel>
    </div>
  );
}

/** Addresses may be written by hand. */
function known<Name extends string>(texts: Readonly<Record<Name, string>>, name: string | null): Name | null {
  return name !== null && Object.keys(texts).includes(name) ? (name as Name) : null;
}

interface ChoiceProps {
  name: string;
  label: string;
  all: string;
  options: Readonly<Record<string, string>>;
  value: string | null;
}

function Choice({ name, label, all, options, value }: ChoiceProps) {
  const { hrefWith, navigate } = useRouter();
  return (
    <select
      class="chooser"
      aria-label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        navigate(hrefWith({ [`worklist.${name}`]: currentTarget.value || null, 'worklist.page': null }))
      }
    >
      <option value="">{all}</option>
      {Object.entries(options).map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** How many there are in each state. */
function Totals({ states }: Pick<WorklistReply, 'states'>) {
  const { hrefWith } = useRouter();
  const names = Object.keys(t.states) as (keyof typeof states)[];
  const there = names.flatMap((name) => {
    const count = states[name];
    return count === undefined ? [] : [{ name, count }];
  });
  return (
    <p class="worklist-totals">
      {there.map(({ name, count }) => (
        <Link key={name} href={hrefWith({ 'worklist.state': name, 'worklist.page': null })}>
          {t.states[name]} <span class="beside">{formatCount(count)}</span>
        </Link>
      ))}
    </p>
  );
}

interface FixAllProps {
  base: string;
  kind: FaultKind;
  onFixed: (reply: FixAllReply) => void;
}

/** Asks first, as each is a job that costs something. */
function FixAll({ base, kind, onFixed }: FixAllProps) {
  const { api } = useApi();
  const [isAsked, ask] = useState(false);
  const action = useAction(async () => {
    onFixed(await api.send<FixAllReply>('POST', `${base}/worklist/fix`, { kind }));
    ask(false);
  });
  return (
    <>
      <button type="button" class="small" onClick={() => ask(true)}>
        {t.fixAll}
      </button>
      {isAsked && (
        <Confirmation
          title={fill(t.fixAllOf, { kind: words.kinds[kind] })}
          confirmLabel={t.startJobs}
          action={action}
          onClose={() => ask(false)}
        >
          <p>{t.eachIsAJob}</p>
        </Confirmation>
      )}
    </>
  );
}

/** What was started, and what was not and why: apart from the rows, of which there may be no more. */
function Fixed({ started, left }: FixAllReply) {
  const reasons = Map.groupBy(left, ({ reason }) => reason);
  return (
    <div class="notice" role="status">
      <p>{plural(t.started, started.length)}</p>
      {Array.from(reasons, ([reason, faults]) => (
        <p key={reason}>
          {plural(t.notStarted, faults.length)} <span dir="auto">{reason}</span>
        </p>
      ))}
    </div>
  );
}

interface RowProps {
  fault: FaultReply;
  base: string;
  projectId: string;
  mayFix: boolean;
}

function Row({ fault, base, projectId, mayFix }: RowProps) {
  const { path, severity, assignee, dismissedBy, outcome } = fault;
  return (
    <li class={`worklist-row worklist-${severity}`}>
      <div class="fault-what">
        <PagePath path={path} />
        <p>
          <FaultFacts fault={fault} severity={t.severities[severity]} />
        </p>
        {outcome && <p class="fault-outcome">{describe(fault, outcome)}</p>}
      </div>
      <div class="fault-state">
        <State fault={fault} projectId={projectId} />
        {assignee !== null && (
          <span class="beside">{mix(t.assignedTo, { name: <bdi>{readable(assignee)}</bdi> })}</span>
        )}
        {dismissedBy !== null && (
          <span class="beside">{mix(t.dismissedBy, { name: <bdi>{readable(dismissedBy)}</bdi> })}</span>
        )}
      </div>
      {mayFix && <Actions {...{ fault, base, projectId }} />}
    </li>
  );
}

const numberOf = (link: string) => /\/(\d+)$/.exec(link)?.[1];

/** With the way to what is done about it. */
function State({ fault: { state, path, job }, projectId }: { fault: FaultReply; projectId: string }) {
  const link = safeLink(job?.prLink ?? null);
  const number = link && numberOf(link);
  return (
    <>
      <span class={`status fault-is-${state}`}>{t.states[state]}</span>
      {job && state !== 'dismissed' && (
        <Link href={`/p/${projectId}/jobs/${job.id}`} aria-label={fill(common.jobFor, { path })}>
          {t.job}
        </Link>
      )}
      {link !== undefined && state !== 'open' && state !== 'dismissed' && (
        <a href={link} target="_blank" rel="noreferrer">
          {number ? fill(t.pullRequest, { number }) : common.pullRequest}
          <span class="unseen"> {common.opensInANewTab}</span>
        </a>
      )}
    </>
  );
}

function Actions({ fault, base, projectId }: Omit<RowProps, 'mayFix'>) {
  const { api } = useApi();
  const [isAssigned, assign] = useState(false);
  const { id, path, state } = fault;
  const address = `${base}/worklist/${id}`;
  const name = state === 'dismissed' ? 'restore' : 'dismiss';
  const label = { restore: t.restorePath, dismiss: t.dismissPath }[name];
  const turn = useAction(() => api.send('POST', `${address}/${name}`));
  return (
    <div class="fault-actions">
      <Fix fault={fault} projectId={projectId} />
      <button
        type="button"
        class="small"
        aria-expanded={isAssigned}
        aria-label={fill(t.assignPath, { path })}
        onClick={() => assign(!isAssigned)}
      >
        {t.assign}
      </button>
      <button
        type="button"
        class="small"
        disabled={turn.isBusy}
        aria-label={fill(label, { path })}
        onClick={() => turn.run()}
      >
        {t[name]}
      </button>
      {isAssigned && <Assign {...{ fault, address }} onDone={() => assign(false)} />}
      <Failure failure={turn.failure} />
    </div>
  );
}

function Assign({ fault, address, onDone }: { fault: FaultReply; address: string; onDone: () => void }) {
  const { api } = useApi();
  const [name, setName] = useState(fault.assignee ?? '');
  const action = useAction(async () => {
    await api.send('POST', `${address}/assign`, { assignee: name.trim() || null });
    onDone();
  });
  return (
    <form
      class="assign"
      onSubmit={(event) => {
        event.preventDefault();
        void action.run();
      }}
    >
      <label>
        {t.assignee}{' '}
        <input
          type="text"
          autocomplete="name"
          maxLength={100}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          ref={(input) => input?.focus()}
        />
      </label>
      <button type="submit" class="small" disabled={action.isBusy}>
        {t.save}
      </button>
      <Failure failure={action.failure} />
    </form>
  );
}

const measures = {
  ...{ not_found: 'failed', refused: 'failed', ignored: 'read', unread: 'read', outdated: 'read' },
  ...{ cut_off: 'cutOff', ai_heavy: 'ai' },
} as const satisfies Record<FaultKind, keyof typeof t.counted>;

const points = (share: number) => `${share < 0 ? '−' : '+'}${formatCount(Math.round(Math.abs(share) * 100))}`;

/** Whether the merge helped, in one sentence. */
function describe(
  { kind, state }: FaultReply,
  {
    hits,
    of,
    since,
    hitsBefore,
    ofBefore,
    low,
    high,
    hasPeople,
    isKnown,
  }: NonNullable<FaultReply['outcome']>,
): string {
  const measure = measures[kind];
  const lead = !isKnown
    ? t.notEnough
    : state === 'no_change'
      ? t.noChange
      : t.improved[hasPeople ? 'found' : measure];
  const counted = fill(t.counted[measure], { hits: formatCount(hits), of: formatCount(of) });
  const before = fill(t.before, { hits: formatCount(hitsBefore), of: formatCount(ofBefore) });
  const interval =
    low === null || high === null ? '' : fill(t.interval, { low: points(low), high: points(high) });
  return fill(t.outcome, { lead, counted, since: formatDay(since, 'shortDay'), before: before + interval });
}
