import { AreaField } from '../components/form/field.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { t } from '../texts/settings.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

/** Which sites may show what share links lead to. */
export function Frames(props: SectionProps) {
  const form = useProjectForm(
    props,
    { embedOrigins: joinLines(props.project.embedOrigins) },
    ({ embedOrigins }) => ({ settings: { embedOrigins: splitLines(embedOrigins) } }),
  );
  return (
    <SettingsForm id="frames" title={t.frames} lead={t.whatAShareLinkLeadsToIsShown} action={form}>
      <AreaField
        label={t.originsOfTheseSites}
        {...form.field('embedOrigins')}
        placeholder="https://www.example.com"
        hint={t.onePerLineLeaveItEmpty}
      />
    </SettingsForm>
  );
}
