import type { SectionSuggestionsReply } from '../../shared/reports/replies.ts';
import { useResource } from '../api/resource.ts';
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
        projectId={project.id}
        lines={splitWholeLines(value)}
        onAdd={(line) => onText(joinLines([...splitWholeLines(value), line]))}
      />
    </SettingsForm>
  );
}

interface SuggestionsProps {
  projectId: string;
  lines: readonly string[];
  onAdd: (line: string) => void;
}

function Suggestions({ projectId, lines, onAdd }: SuggestionsProps) {
  const { data } = useResource<SectionSuggestionsReply>(`/v1/analytics/${projectId}/section-suggestions`);
  const offered = (data?.suggestions ?? [])
    .map(({ path, name }) => ({ name, path, line: `${path} ${name}` }))
    .filter(({ line }) => !lines.includes(line));
  if (offered.length === 0) return null;
  return (
    <>
      <p class="hint">{t.partsOfYourSite}</p>
      <div class="page-actions">
        {offered.map(({ name, path, line }) => (
          <button key={path} type="button" class="small" title={path} onClick={() => onAdd(line)}>
            {fill(t.addSection, { name })}
          </button>
        ))}
      </div>
    </>
  );
}
