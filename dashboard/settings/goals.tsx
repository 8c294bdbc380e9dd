import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { SectionSuggestionsReply } from '../../shared/reports/replies.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Failure } from '../components/notice.tsx';
import { joinLines, splitWholeLines } from '../formats/lines.ts';
import { t as common } from '../texts/common.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { Fields, useSettingsForm } from './fields.tsx';
import { type SectionProps, SettingsForm } from './form.tsx';

const rows = [
  ['goals', 'funnels'],
  ['sections', 'renamedPaths'],
] as const;

/** What people are to do, and the parts of the site. */
export function Goals(props: SectionProps) {
  const { project } = props;
  const form = useSettingsForm(props, rows);
  const { value, onText } = form.field('sections');
  return (
    <SettingsForm id="goals" title={common.settingsPages.goals} action={form}>
      <Fields rows={rows} form={form} project={project} />
      <Suggestions
        project={project}
        lines={splitWholeLines(value)}
        onAdd={(line) => onText(joinLines([...splitWholeLines(value), line]))}
      />
    </SettingsForm>
  );
}

interface SuggestionsProps {
  project: ProjectReply;
  lines: readonly string[];
  onAdd: (line: string) => void;
}

function Suggestions({ project: { id, repository }, lines, onAdd }: SuggestionsProps) {
  const { api } = useApi();
  const { data } = useResource<SectionSuggestionsReply>(`/v1/analytics/${id}/section-suggestions`);
  const [listed, setListed] = useState<SectionSuggestionsReply>();
  const look = useAction(async () => {
    setListed(await api.send('POST', `/v1/analytics/${id}/repository-sections`));
  });
  const all = [...(listed?.suggestions ?? []), ...(data?.suggestions ?? [])];
  const offered = [...new Map(all.map((one) => [one.path, one])).values()]
    .map(({ path, name }) => ({ name, path, line: `${path} ${name}` }))
    .filter(({ line }) => !lines.includes(line));
  if (offered.length === 0 && repository === null) return null;
  return (
    <>
      {(offered.length > 0 || listed) && (
        <p class="hint">{offered.length > 0 ? t.partsOfYourSite : t.noOtherParts}</p>
      )}
      <Failure failure={look.failure} />
      <div class="page-actions">
        {repository !== null && (
          <button type="button" class="small" onClick={() => look.run()} disabled={look.isBusy}>
            {t.lookInTheRepository}
          </button>
        )}
        {offered.map(({ name, path, line }) => (
          <button key={path} type="button" class="small" title={path} onClick={() => onAdd(line)}>
            {fill(t.addSection, { name })}
          </button>
        ))}
      </div>
    </>
  );
}
