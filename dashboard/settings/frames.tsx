import { AreaField } from '../components/field.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

/** Which sites may show what share links lead to. */
export function Frames(props: SectionProps) {
  const form = useProjectForm(
    props,
    { embedOrigins: joinLines(props.project.embedOrigins) },
    ({ embedOrigins }) => ({ settings: { embedOrigins: splitLines(embedOrigins) } }),
  );
  return (
    <SettingsForm
      id="frames"
      title="Frames"
      lead="What a share link leads to is shown in frames of the sites that you name. Other pages of the dashboard never are."
      action={form}
    >
      <AreaField
        label="Origins of these sites"
        {...form.field('embedOrigins')}
        placeholder="https://www.example.com"
        hint="One per line. Leave it empty to allow no frames."
      />
    </SettingsForm>
  );
}
