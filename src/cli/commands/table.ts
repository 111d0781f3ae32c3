import type { Command } from './command.js'

/** What the first argument may be, beside nothing at all, which serves. Adding a command is adding a row. */
export const commands: Readonly<Record<string, Command>> = {
  play: {
    summary: 'Run a scenario in virtual time and print what happens',
    usage: 'play <name|file> [options]',
    load: async () => (await import('./play.js')).play,
  },
  exec: {
    summary: 'Run a command against an emulator of its own',
    usage: 'exec -- <command>',
    load: async () => (await import('./exec.js')).exec,
  },
  sink: {
    summary: 'Receive webhooks, verify and record them',
    usage: 'sink [options]',
    load: async () => (await import('./sink.js')).sink,
  },
  sign: {
    summary: 'Print the signature of a file, or of stdin',
    usage: 'sign [file] [options]',
    load: async () => (await import('./sign.js')).sign,
  },
  verify: {
    summary: 'Say whether a signature is right, and if not, why',
    usage: 'verify [file] [options]',
    load: async () => (await import('./verify.js')).verify,
  },
  'check-receiver': {
    summary: 'Try your own receiver with good and bad deliveries',
    usage: 'check-receiver <url>',
    load: async () => (await import('./check-receiver.js')).checkReceiver,
  },
  openapi: {
    summary: 'Print the OpenAPI document of an API',
    usage: 'openapi [options]',
    load: async () => (await import('./openapi.js')).openapi,
  },
  scenarios: {
    summary: 'List, show, check and write scenarios',
    usage: 'scenarios <command>',
    commands: {
      list: {
        summary: 'List the built-in scenarios',
        usage: 'scenarios list [options]',
        load: async () => (await import('./scenarios-list.js')).scenariosList,
      },
      show: {
        summary: 'Print a scenario as YAML',
        usage: 'scenarios show <name|file>',
        load: async () => (await import('./scenarios-show.js')).scenariosShow,
      },
      check: {
        summary: 'Say what is wrong with scenario files, and where',
        usage: 'scenarios check <file…>',
        load: async () => (await import('./scenarios-check.js')).scenariosCheck,
      },
      new: {
        summary: 'Write a scenario file to start from',
        usage: 'scenarios new <name>',
        load: async () => (await import('./scenarios-new.js')).scenariosNew,
      },
      schema: {
        summary: 'Print the JSON Schema of scenario files, for editors',
        usage: 'scenarios schema',
        load: async () => (await import('./scenarios-schema.js')).scenariosSchema,
      },
    },
  },
  snapshot: {
    summary: 'Export, import and show snapshots',
    usage: 'snapshot <command>',
    commands: {
      export: {
        summary: 'Write what there is in an emulator that runs to a file',
        usage: 'snapshot export <file> [options]',
        load: async () => (await import('./snapshot-export.js')).snapshotExport,
      },
      import: {
        summary: 'Put a snapshot in the place of what there is in an emulator that runs',
        usage: 'snapshot import <file> [options]',
        load: async () => (await import('./snapshot-import.js')).snapshotImport,
      },
      show: {
        summary: 'Say what is in a snapshot',
        usage: 'snapshot show <file> [options]',
        load: async () => (await import('./snapshot-show.js')).snapshotShow,
      },
    },
  },
  trigger: {
    summary: 'Send an event to the receiver of a webhook',
    usage: 'trigger <event> [options]',
    load: async () => (await import('./trigger.js')).trigger,
  },
}

export const commandNames = Object.keys(commands)

/** A help text with a list of commands before its options; yargs would take the indents away. */
export function withCommands(help: string, of: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.values(of).map(({ usage }) => usage.length))
  const rows = Object.values(of).map(({ usage, summary }) => {
    return `  svtrain-emulator ${usage.padEnd(width)}  ${summary}`
  })
  return help.replace(/^(?=Options:$)/m, () => `Commands:\n${rows.join('\n')}\n\n`)
}
