// Comes before the server in a process of its own.
import { recordAnswers } from './record.ts';

recordAnswers();
