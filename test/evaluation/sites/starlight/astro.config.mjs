import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

export default defineConfig({
  site: 'https://plotline.example',
  integrations: [
    starlight({
      title: 'Plotline',
      sidebar: [
        {
          label: 'Start',
          items: [{ slug: 'install' }, { slug: 'first-chart' }, { slug: 'upgrade-from-1' }],
        },
        { label: 'Guides', autogenerate: { directory: 'guides' } },
        { label: 'Reference', autogenerate: { directory: 'reference' } },
      ],
    }),
  ],
});
