import { part } from './part.ts';

/** Signing in, setting a password, adding a project. */
export const t = part('sign-in', {
  withThisPasswordYouCanSee: 'With this password you can see and change everything in Headcount.',
  withThisPasswordAndTheName: 'With this password and the name {name} you sign in to Headcount from now on.',
  thisLinkIsNotComplete: 'This link is not complete',
  theTwoPasswordsDifferType: 'The two passwords differ. Type the same one twice.',
  setThePassword: 'Set the password',
  setPasswordAndSignIn: 'Set password and sign in',
  password: 'Password',
  atLeast10Characters: 'At least 10 characters.',
  repeatThePassword: 'Repeat the password',
  signIn: 'Sign in',
  signingIn: 'Signing in…',
  leaveItEmptyToSign: 'Leave it empty to sign in with the administrator’s password.',
  secondFactor: 'Second factor',
  lostYourPhoneAndTheRecovery:
    'Lost your phone and the recovery codes? If you sign in with a name, ask an owner; for the administrator, {command} on the server turns it off.',
  startOver: 'Start over',
  noPasswordHasBeenSetYet: 'No password has been set yet',
  openTheOneTimeLink:
    'Open the one-time link that the server printed when it started. To get a new one, run {command} on the server.',
  yourSessionHasEnded: 'Your session has expired. Sign in to continue.',
  toTheSignInPage: 'To the sign-in page',
  createProject: 'Create project',
  hostNameOfTheSite: 'Host name of the site',
  viewsOnOtherHosts: 'Views on other hosts are not counted. Leave it empty to count all hosts.',
  copyTheWholeAddressPrinted:
    'Copy the whole address that the server printed, including everything after the #.',
  copyTheWholeAddressSent: 'Copy the whole address that you were sent, including everything after the #.',
  forgotThePassword: 'Forgot the password? On the server, {command} prints a link to set a new one.',
  ifYouSignInWithAName: 'If you sign in with a name, ask an owner for a new link.',
});
