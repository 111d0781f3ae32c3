import { didYouMean } from '../../base/text/nearest.js'
import { Options, webUrl, type Kind } from '../../base/text/options.js'
import { INTERCEPTED_APIS, type InterceptedApi } from '../../base/text/vendor/hosts.js'
import { routeFor, type ServiceHosts } from './routes.js'

/** The options of `handlers`. */
export interface HandlersOptions {
  /**
   * The base URL at which the code under test calls the training API. The handler answers requests below
   * it, and no others of that origin. If it ends in `/v1`, runs and artifacts are answered beside it, as the
   * service does: at `/graphql`, for example. Default: the emulator's own URL.
   */
  trainingUrl?: string
  /** The base URL at which the code under test calls the inference API. Default: the emulator's own URL. */
  inferenceUrl?: string
  /**
   * The hosts of a real service, for code that names them. They are answered as well, also without TLS and at other
   * ports; of this machine, only the named port. An unknown path below an address gets the 404 of the emulator.
   * `documented` is all known addresses of the documented service: there, a path that belongs to no API gets 404, too.
   * Uploads and downloads go to the host that was called. Default: none.
   */
  hosts?: 'documented' | ServiceHosts
}

/** One address of an API, or several. */
function addressesOf(api: InterceptedApi): Kind {
  return {
    check(value, place) {
      for (const each of [value].flat()) {
        if (typeof each !== 'string') return place.wrong(each, 'an address, or a list of addresses')
        try {
          routeFor(api, each)
        } catch (error) {
          place.refuse(`cannot be used. ${(error as Error).message}`)
        }
      }
    },
  }
}

export const serviceHosts = new Options<ServiceHosts>('handlers', {
  training: addressesOf('training'),
  inference: addressesOf('inference'),
  platform: addressesOf('platform'),
})

const hostsKind: Kind = {
  check(value, place) {
    if (value === 'documented') return
    if (typeof value === 'object') return serviceHosts.checkAt(value, place)
    const expected = `"documented", or an object with addresses for ${INTERCEPTED_APIS.join(', ')}`
    place.wrong(value, expected, (written) => didYouMean(written, ['documented']))
  },
}

export const handlersOptions = new Options<HandlersOptions>('handlers', {
  trainingUrl: webUrl,
  inferenceUrl: webUrl,
  hosts: hostsKind,
})
