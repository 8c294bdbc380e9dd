import { dirname } from 'node:path';

/** Why a file cannot be read, and what to do about it: the end of a sentence. */
export function readTrouble({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file. Look at its name';
    case 'EISDIR':
      return 'it is a folder. Name a file in it';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it. Give the command as its owner, or let others read it';
    default:
      return message;
  }
}

/** The same of a file that was to be written. */
export function writeTrouble(file: string, { code, message }: NodeJS.ErrnoException): string {
  const folder = dirname(file);
  switch (code) {
    case 'ENOENT':
      return `there is no folder ${folder}. Make it, or name a file elsewhere`;
    case 'ENOTDIR':
      return `${folder} is not a folder. Name a file elsewhere`;
    case 'EISDIR':
      return 'it is a folder. Name a file in it';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `this user may not write in ${folder}. Name a file elsewhere`;
    default:
      return message;
  }
}
