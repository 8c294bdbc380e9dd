import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { AiRulesReply, RuleAction } from '../../shared/reports/sites.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { ChoiceField } from '../components/form/field.tsx';
import { submit } from '../components/form/form.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { t } from '../texts/pages.ts';
import { fill } from '../texts/part.ts';

type Choices = Record<'target' | keyof typeof t.purposes, string>;
type Exceptions = Record<string, RuleAction>;

const atFirst: Choices = {
  target: 'robots',
  training: 'allow',
  search: 'allow',
  assistant: 'allow',
  coding: 'allow',
  browser: 'allow',
};

/** Rules for AI clients, to be pasted where requests come in. */
export function Rules({ project }: { project: ProjectReply }) {
  const [choices, setChoices] = useState(atFirst);
  const [exceptions, setExceptions] = useState<Exceptions>({});
  const named = Object.entries(exceptions).map(([client, action]) => `${client}:${action}`);
  const path = withQuery(`/v1/analytics/${project.id}/ai-rules`, { ...choices, clients: named.join(',') });
  const resource = useResource<AiRulesReply>(path);
  const field = (name: keyof Choices) => ({
    name,
    value: choices[name],
    onText: (text: string) => setChoices((before) => ({ ...before, [name]: text })),
  });
  return (
    <Page title={t.rulesForAi} class="page-text">
      <section class="card">
        <p class="hint">{t.sayWhatAiClientsMayDo}</p>
        <div class="form">
          <ChoiceField label={t.whereYouPasteThem} {...field('target')} options={t.targets} />
          <div class="side-by-side">
            {Object.entries(t.purposes).map(([name, label]) => (
              <ChoiceField
                key={name}
                label={label}
                {...field(name as keyof typeof t.purposes)}
                options={t.actions}
              />
            ))}
          </div>
        </div>
        <h2>{t.exceptions}</h2>
        <ExceptionList exceptions={exceptions} onChange={setExceptions} />
        {resource.data && (
          <NewException
            clients={resource.data.clients}
            onAdd={(client, action) => setExceptions((before) => ({ ...before, [client]: action }))}
          />
        )}
      </section>
      <section class="card">
        <h2>{t.pasteThis}</h2>
        <Loaded resource={resource} lines={8}>
          {(rules) => <Preview rules={rules} />}
        </Loaded>
      </section>
    </Page>
  );
}

function Preview({ rules: { text, place, notes } }: { rules: AiRulesReply }) {
  return (
    <>
      <p dir="auto">{place}</p>
      <Code text={text} what={t.theRules} />
      <ul class="hint">
        {notes.map((note) => (
          <li key={note} dir="auto">
            {note}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ExceptionListProps {
  exceptions: Exceptions;
  onChange: (exceptions: Exceptions) => void;
}

function ExceptionList({ exceptions, onChange }: ExceptionListProps) {
  const entries = Object.entries(exceptions);
  if (entries.length === 0) return <p class="empty">{t.allClientsFollowTheirPurpose}</p>;
  const without = (client: string) => Object.fromEntries(entries.filter(([name]) => name !== client));
  return (
    <ul class="rows">
      {entries.map(([client, action]) => (
        <li key={client}>
          <div class="rows-main">
            <bdi class="strong">{client}</bdi> <span class="tag">{t.actions[action]}</span>
          </div>
          <button
            type="button"
            class="small"
            aria-label={fill(t.removeTheException, { client })}
            onClick={() => onChange(without(client))}
          >
            {t.remove}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface NewExceptionProps {
  clients: AiRulesReply['clients'];
  onAdd: (client: string, action: RuleAction) => void;
}

function NewException({ clients, onAdd }: NewExceptionProps) {
  const reachable = clients.filter(({ isReachable }) => isReachable);
  const names = reachable.map(({ client }) => client).sort((a, b) => a.localeCompare(b));
  const [chosen, setClient] = useState('GPTBot');
  const [action, setAction] = useState('refuse');
  const client = names.includes(chosen) ? chosen : (names[0] ?? '');
  return (
    <form class="form inset" onSubmit={submit(() => onAdd(client, action as RuleAction))}>
      <div class="side-by-side">
        <ChoiceField
          label={t.aiClient}
          name="client"
          value={client}
          onText={setClient}
          options={Object.fromEntries(names.map((name) => [name, name]))}
        />
        <ChoiceField
          label={t.whatItMayDo}
          name="action"
          value={action}
          onText={setAction}
          options={t.actions}
        />
      </div>
      <div class="actions">
        <button type="submit">{t.addException}</button>
      </div>
    </form>
  );
}
