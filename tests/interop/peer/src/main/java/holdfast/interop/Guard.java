package holdfast.interop;

/** One way to keep others out, whatever gives it. Times are in ms. */
interface Guard {
  /**
   * The grant: a token, a permit, or an empty string. Null: the time passed. A negative {@code
   * wait} has no end. A negative {@code lease} lasts until it is given back; a library whose locks
   * do not end by time does not look at it.
   */
  String lock(long wait, long lease) throws Exception;

  void unlock(String grant) throws Exception;

  /** What a library has of them, each for the use of one thread. */
  interface Maker {
    Guard of(String kind, String name) throws Exception;
  }
}
