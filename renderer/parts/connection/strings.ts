export const strings = {
  gone: {
    since: {
      silent: (time: string) => `Not reachable since ${time}`,
      'signed out': (time: string) => `Signed out since ${time}`,
    },
    next: {
      silent:
        'Coffer is not responding, so what you see may be out of date. Restart Coffer where it was running. This page reconnects automatically.',
      'signed out':
        'What you see may be out of date. Press Enter in the terminal where Coffer is running, or look in its log where it has none, and open the new link in this browser.',
    },
    tryNow: 'Try now',
  },
} as const
