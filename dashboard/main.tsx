import { render } from 'preact';
import { App } from './app.tsx';
import { restoreTheme } from './components/theme.tsx';

restoreTheme();
render(<App />, document.getElementById('app') as HTMLElement);
