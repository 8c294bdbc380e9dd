import { dirname } from 'node:path';
import { getSystemErrorMessage } from 'node:util';

/** Why a file cannot be read, and what to do about it: the end of a sentence. */
export function readTrouble(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file. Look at its name';
    case 'EISDIR':
      return 'it is a folder. Name a file in it';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it. Give the command as its owner, or let others read it';
    default:
      return systemTrouble(error);
  }
}

/** The same of a file that was to be written. */
export function writeTrouble(file: string, error: NodeJS.ErrnoException): string {
  const folder = dirname(file);
  switch (error.code) {
    case 'ENOENT':
      return `there is no folder ${folder}. Make it, or name a file elsewhere`;
    case 'ENOTDIR':
      return `${folder} is not a folder. Name a file elsewhere`;
    case 'EEXIST':
      return 'it is there already. Name a new one';
    case 'EISDIR':
      return 'it is a folder. Name a file in it';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `this user may not write in ${folder}. Name a file elsewhere`;
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full. Make room, or name a file elsewhere';
    default:
      return systemTrouble(error);
  }
}

/** What the system says of an error, without the names of codes and calls. */
export function systemTrouble({ errno, syscall, message }: NodeJS.ErrnoException): string {
  // Errors of zlib have numbers of their own.
  return errno === undefined || syscall === undefined ? message : getSystemErrorMessage(errno);
}

/** Whether this user lacks the right, by the error or what caused it. */
export function isForbidden(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || isForbidden(cause);
}
