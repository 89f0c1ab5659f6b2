export const strings = {
  disconnected: {
    since: {
      silent: (time: string) => `Not reachable since ${time}`,
      'signed out': (time: string) => `Signed out since ${time}`,
      restarted: (time: string) => `Signed out since ${time}`,
      closed: () => 'The vault of this page is no longer open',
    },
    next: {
      silent:
        'Coffer is not responding, so what you see may be out of date. If it is only busy, this page recovers by itself. If it was stopped, start it again and open the new link it prints.',
      'signed out':
        'What you see may be out of date. Copy what you need, then open a new link in this browser: press Enter in the terminal where Coffer is running to print one. Without a terminal, see Coffer’s log.',
      restarted:
        'Coffer was restarted. Copy what you need, then open the new link it printed in this browser. Without a terminal, see Coffer’s log.',
      closed:
        'Your unsaved input is still here. Open this vault again to go on, or copy what you need and close the form.',
    },
    /** Shown in place of the whole window. */
    out: {
      'signed out': {
        title: 'This page is not signed in',
        text: 'Press Enter in the terminal where Coffer is running, and open the link it prints in this browser. Without a terminal, see Coffer’s log.',
      },
      restarted: {
        title: 'Coffer was restarted',
        text: 'Open the new link it printed in this browser. Press Enter in its terminal to print another one. Without a terminal, see Coffer’s log.',
      },
    },
    continues: 'This page then continues by itself.',
    tryNow: 'Try now',
  },
} as const
