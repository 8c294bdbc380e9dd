export default {
  title: 'Ferry',
  url: 'https://ferry.example',
  baseUrl: '/',
  onBrokenLinks: 'throw',
  presets: [['classic', { docs: { path: 'docs', routeBasePath: 'docs' } }]],
};
