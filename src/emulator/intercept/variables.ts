import { CHAT_KEY, OFFLINE_SETTINGS, SDK_MODE } from '../../base/text/vendor/sdk-variables.js'
import type { Routes } from '../adapters/routes.js'
import type { TrustFolder } from './trust-folder.js'

/** Hosts that are called without the proxy: the emulator itself, and other programs on this machine. */
const NEAR = '127.0.0.1,::1,localhost'

interface InterceptedBy {
  /** The address of the proxy. */
  readonly proxy: string
  readonly routes: Routes
  /**
   * A key that is accepted, if it answers by itself. A client of chats without a key ends before it calls anybody.
   */
  readonly key?: string | undefined
}

/**
 * The variables that lead a command through an interceptor. They replace all that the command inherits: one that was
 * set before would lead its calls past the emulator.
 */
export function interceptVariables(
  { proxy, routes, key }: InterceptedBy,
  { bundle, extra, empty, preload }: TrustFolder,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const { NODE_OPTIONS: options = '' } = environment
  const quoted = `"${preload.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  const offline = Object.entries(OFFLINE_SETTINGS).filter(([name]) => !environment[name])
  const direct = routes.haveThisMachine ? proxyAlone(proxy) : NEAR
  const needsKey = key !== undefined && routes.haveOtherChats && !environment[CHAT_KEY]
  return {
    ...Object.fromEntries(offline),
    ...(needsKey && { [CHAT_KEY]: key }),
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    ALL_PROXY: proxy,
    all_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    SSL_CERT_FILE: bundle,
    SSL_CERT_DIR: empty,
    REQUESTS_CA_BUNDLE: bundle,
    CURL_CA_BUNDLE: bundle,
    NODE_EXTRA_CA_CERTS: extra,
    NODE_USE_ENV_PROXY: '1',
    // A run that is not logged cannot be looked at.
    [SDK_MODE]: 'online',
    NODE_OPTIONS: [options, `--require ${quoted}`].filter(Boolean).join(' '),
  }
}

/**
 * What is called without the proxy if a port of this machine is intercepted: few clients know ports in this list, so
 * all of the machine goes through the proxy, which passes on what is not intercepted. Only Node would ask the proxy for
 * a tunnel to itself. A client of Python fails at an IPv6 address with a port.
 */
function proxyAlone(proxy: string): string {
  const { host } = new URL(proxy)
  return host.startsWith('[') ? '' : host
}
