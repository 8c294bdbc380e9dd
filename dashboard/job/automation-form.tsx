import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { AutomationReply, Occasion, Weekday } from '../../shared/jobs/automation.ts';
import { useApi } from '../api/resource.ts';
import { AreaField, ChoiceField, TextField } from '../components/form/field.tsx';
import { Form, type FormState, useForm } from '../components/form/form.tsx';
import { t } from '../texts/automations.ts';
import { fill } from '../texts/part.ts';
import { hourOf, weekdays } from './occasion.ts';
import { recipeChoices, useRecipes } from './recipes.ts';

interface AutomationFormProps {
  path: string;
  project: ProjectReply;
  /** Left out: a new one is made. */
  automation: AutomationReply | undefined;
  onDone: () => void;
}

const hours = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [String(hour), hourOf(hour)]));

/** The form of what starts jobs by itself. */
export function AutomationForm({ path, project, automation, onDone }: AutomationFormProps) {
  const { api } = useApi();
  const recipes = useRecipes(project.id);
  const before = automation?.when;
  const [chosenDays, setChosenDays] = useState<readonly Weekday[]>(
    before?.kind === 'weekly' ? before.weekdays : ['monday'],
  );
  const form = useForm(textsOf(automation), async (values) => {
    const { name, recipe, prompt, jobsPerWeek } = values;
    const body = {
      name,
      when: occasionOf(values, chosenDays),
      recipe: recipe === '' ? null : recipe,
      prompt: prompt.trim() === '' ? null : prompt,
      jobsPerWeek: Number(jobsPerWeek),
    };
    if (automation) await api.send('PATCH', `${path}/${automation.id}`, body);
    else await api.send('POST', path, body);
    onDone();
  });
  return (
    <Form action={form} submitLabel={automation ? t.save : t.addTurnedOff} isKept>
      <TextField
        label={t.name}
        {...form.field('name')}
        placeholder={t.isItStillTrue}
        maxLength={100}
        required
      />
      <ChoiceField label={t.when} {...form.field('kind')} options={t.occasions} />
      <OccasionFields form={form} project={project} chosenDays={chosenDays} onChosenDays={setChosenDays} />
      <ChoiceField
        label={t.whatToDo}
        {...form.field('recipe')}
        options={recipeChoices(recipes, t.whatIWrite)}
      />
      <AreaField
        label={form.values.recipe === '' ? t.prompt : t.besides}
        {...form.field('prompt')}
        rows={4}
        maxLength={32_000}
        required={form.values.recipe === ''}
        hint={form.values.recipe === '' ? undefined : t.besidesTheRecipe}
      />
      <TextField label={t.jobsAWeek} {...form.field('jobsPerWeek')} type="number" min={1} max={50} required />
    </Form>
  );
}

type Texts = Record<
  'name' | 'kind' | 'hour' | 'day' | 'requests' | 'days' | 'repository' | 'recipe' | 'prompt' | 'jobsPerWeek',
  string
>;

function textsOf(automation: AutomationReply | undefined): Texts {
  const { name = '', recipe = 'still-true', prompt, jobsPerWeek = 3, when } = automation ?? {};
  const { kind = 'weekly', ...parts } = when ?? {};
  const texts = Object.fromEntries(Object.entries(parts).map(([part, value]) => [part, String(value)]));
  const usual = { hour: '9', day: '1', requests: '10', days: '60', repository: '', ...texts };
  return {
    ...usual,
    name,
    kind,
    recipe: recipe ?? '',
    prompt: prompt ?? '',
    jobsPerWeek: String(jobsPerWeek),
  };
}

function occasionOf(texts: Texts, chosen: readonly Weekday[]): Occasion {
  const [hour, day] = [Number(texts.hour), Number(texts.day)];
  switch (texts.kind as Occasion['kind']) {
    case 'weekly':
      return { kind: 'weekly', weekdays: [...chosen], hour };
    case 'monthly':
      return { kind: 'monthly', day, hour };
    case 'missing_page':
      return { kind: 'missing_page', requests: Number(texts.requests) };
    case 'unread_page':
      return { kind: 'unread_page', days: Number(texts.days) };
    case 'release':
      return { kind: 'release', repository: texts.repository };
  }
}

interface OccasionFieldsProps {
  form: FormState<keyof Texts>;
  project: ProjectReply;
  chosenDays: readonly Weekday[];
  onChosenDays: (weekdays: readonly Weekday[]) => void;
}

/** What has to be said besides the kind. */
function OccasionFields({ form, project, chosenDays, onChosenDays }: OccasionFieldsProps) {
  const at = (
    <ChoiceField
      label={t.at}
      {...form.field('hour')}
      options={hours}
      hint={fill(t.timeZone, { zone: project.timeZone })}
    />
  );
  switch (form.values.kind as Occasion['kind']) {
    case 'weekly':
      return (
        <>
          <Weekdays chosen={chosenDays} onChosen={onChosenDays} />
          {at}
        </>
      );
    case 'monthly':
      return (
        <>
          <NumberField
            label={t.dayOfTheMonth}
            field={form.field('day')}
            from={1}
            to={31}
            hint={t.shorterMonth}
          />
          {at}
        </>
      );
    case 'missing_page':
      return <NumberField label={t.requests} field={form.field('requests')} from={2} hint={t.requestsHint} />;
    case 'unread_page':
      return <NumberField label={t.days} field={form.field('days')} from={14} to={365} hint={t.daysHint} />;
    case 'release':
      return (
        <TextField
          label={t.repository}
          {...form.field('repository')}
          type="url"
          placeholder="https://github.com/owner/name"
          required
          hint={t.repositoryHint}
        />
      );
  }
}

interface NumberFieldProps {
  label: string;
  field: ReturnType<FormState<keyof Texts>['field']>;
  from: number;
  to?: number;
  hint: string;
}

function NumberField({ label, field, from, to, hint }: NumberFieldProps) {
  return <TextField label={label} {...field} type="number" min={from} max={to} required hint={hint} />;
}

interface WeekdaysProps {
  chosen: readonly Weekday[];
  onChosen: (chosen: readonly Weekday[]) => void;
}

function Weekdays({ chosen, onChosen }: WeekdaysProps) {
  const toggle = (weekday: Weekday) =>
    onChosen(weekdays().filter((one) => (one === weekday) !== chosen.includes(one)));
  return (
    <fieldset>
      <legend>{t.weekdays}</legend>
      {weekdays().map((weekday) => (
        <div key={weekday} class="field field-check">
          <label>
            <input type="checkbox" checked={chosen.includes(weekday)} onChange={() => toggle(weekday)} />
            {t.weekdayNames[weekday]}
          </label>
        </div>
      ))}
    </fieldset>
  );
}
