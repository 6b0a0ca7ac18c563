// SPDX-License-Identifier: Apache-2.0

package holdfast.interop;

/** A lock of any kind. Times are in ms. */
interface Guard {
  /**
   * Returns the grant: a token, a permit, or an empty string; or null when the time has passed. A
   * negative {@code wait} has no end. A negative {@code lease} lasts until it is given back; a
   * library whose locks do not end by time ignores it.
   */
  String lock(long wait, long lease) throws Exception;

  void unlock(String grant) throws Exception;

  /** Makes the guards of a library, each for the use of one thread. */
  interface Maker {
    Guard of(String kind, String name) throws Exception;
  }
}
