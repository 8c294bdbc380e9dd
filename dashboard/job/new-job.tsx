import { useMemo, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { useApi } from '../api/resource.ts';
import { ChoiceField, faultOf } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { useRouter } from '../router/router.tsx';
import { t as texts } from '../texts/automations.ts';
import { t } from '../texts/jobs.ts';
import { mix } from '../texts/part.ts';
import { PromptField, useImages } from './image-field.tsx';
import { forgetPrompt, keepPrompt } from './prompt.ts';
import { recipeChoices, useRecipes } from './recipes.ts';

export function NewJob({ project }: { project: ProjectReply }) {
  const { api } = useApi();
  const { navigate, query } = useRouter();
  const images = useImages();
  const form = useForm({ prompt: keepPrompt(project.id, query) }, async ({ prompt }) => {
    const headers = { 'Idempotency-Key': key };
    const body = { prompt, images: images.sent };
    const job = await api.send<JobReply>('POST', `/v2/agent/${project.id}/job`, body, headers);
    forgetPrompt(project.id);
    navigate(`/p/${project.id}/jobs/${job.id}`);
  });
  // The same key for the same request, so that a repeated request creates one job.
  const key = useMemo(makeIdempotencyKey, [form.values.prompt, images.chosen]);
  return (
    <Form action={form} submitLabel={t.startJob} class="card" isKept>
      <RecipeField projectId={project.id} onPrompt={form.field('prompt').onText} />
      <PromptField
        label={t.newJob}
        {...form.field('prompt')}
        rows={4}
        placeholder={t.findThePagesThatAiClients}
        hint={<Target project={project} />}
        images={project.agentCommand === null ? images : undefined}
        imageFault={faultOf(form.failure, 'images')}
      />
    </Form>
  );
}

interface RecipeFieldProps {
  projectId: string;
  onPrompt: (prompt: string) => void;
}

/** Puts the words of a recipe where they can be changed before they are sent. */
function RecipeField({ projectId, onPrompt }: RecipeFieldProps) {
  const recipes = useRecipes(projectId);
  const [chosen, setChosen] = useState('');
  const choose = (name: string) => {
    setChosen(name);
    onPrompt(recipes.find((recipe) => recipe.name === name)?.prompt ?? '');
  };
  return (
    <ChoiceField
      label={texts.beginWith}
      name="recipe"
      value={chosen}
      onText={choose}
      options={recipeChoices(recipes, texts.emptyPrompt)}
    />
  );
}

/** The repository that a job works in, and who does the work. */
function Target({ project: { repository, ref, model, agentCommand } }: { project: ProjectReply }) {
  return (
    <>
      {mix(ref === '' ? t.worksIn : t.worksInFrom, {
        repository: <bdi>{repository}</bdi>,
        ref: <bdi>{ref}</bdi>,
        agent: <bdi>{agentCommand?.[0] ?? model}</bdi>,
      })}
    </>
  );
}

/** 128 random bits; `randomUUID` is given to secure pages only. */
function makeIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
