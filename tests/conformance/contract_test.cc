// SPDX-License-Identifier: Apache-2.0

// Every sentence of the contract is checked by a case.
//
// The contract is what the comments of the headers in holdfast/engine say. The table
// below names, for each sentence, the cases that check it, by how the sentence begins.
// A sentence that promises nothing has no case: it explains, or speaks of the program
// around the engine. For a promise that no case can check, or not as a whole, the table
// says why.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

struct Sentence {
  std::string_view begins;
  std::vector<std::string_view> cases = {};
  std::string_view why_unchecked = {};
};

constexpr std::string_view kHeaders[] = {"session.h", "claim.h", "sent_call.h",
                                         "admission.h"};

const std::vector<Sentence>& contract() {
  static const std::vector<Sentence> all = {
      // session.h: the waist as a whole.
      {"holdfast/engine/session.h - the waist"},
      {"An engine keeps two sorts of state."},
      {"A claim ends with its owner; a register outlives it.",
       {"Deaths.ADeathEndsClaimsAndNothingElse", "Registers.OutliveTheirClients"}},
      {"Every primitive is written once"},
      {"The contract, which tests/conformance states"},
      {"Calls may come from any thread.",
       {"Threads.OfOneClientLoseNothing", "Threads.OfManyClientsLoseNothing"}},
      {"No call waits for another client",
       {"Repeats.ABlockedAttemptIsTheSamePlace", "Exclusion.ZeroWaitLeavesNoTrace",
        "Standstills.AServerThatFallsSilent",
        "EtcdStandstill.ACallEndsWhenItsTimeIsOver",
        "MysqlStandstill.ACallEndsWhenItsTimeIsOver"}},
      {"With a deadline that has passed, a call does not wait",
       {"PassedDeadlines.AreNotWaitedFor", "Cuts.ACallWithoutTimeDoesNotWait"}},
      {"It fails with Errc::outcome_unknown or Errc::unavailable",
       {"PassedDeadlines.OfAnAttempt", "PassedDeadlines.OfADrop",
        "PassedDeadlines.OfAChangeToAClaim", "PassedDeadlines.OfAChangeToARegister"}},
      {"Where `Traits::sends_ahead` is set, the request is sent",
       {"PassedDeadlines.OfAnAttempt", "PassedDeadlines.OfADrop",
        "PassedDeadlines.OfAChangeToAClaim", "PassedDeadlines.OfAChangeToARegister"}},
      {"A lost reply gives Errc::outcome_unknown,",
       {"Outages.ALostReplyIsAnUnknownOutcome",
        "Outages.ALostReplyToAChangeIsAnUnknownOutcome",
        "LateArrivals.AnUnansweredChangeIsRemembered",
        "LateArrivals.AnUnansweredUpdateIsMadeOnce",
        "DoubtfulChanges.AnAddThatMayHaveBeenMadeIsNotCalledUnavailable",
        "DoubtfulChanges.AnExchangeThatMayHaveBeenMadeIsNotCalledUnavailable"}},
      {"Every call is idempotent",
       {"Repeats.AGrantedAttemptIsTheSameGrant", "Registers.ARepeatedAddAddsOnce",
        "Registers.ARepeatedExchangeIsDoneOnce",
        "Outages.ALostReplyDoesNotMakeASecondEntry",
        "BlockingPrimitiveOutages.ALostReplyToAnyStepChangesNothing"}},
      {"A ticket that was attempted ends in exactly one way",
       {"Repeats.ADropIsFinal", "Repeats.AWaitingPlaceCanBeDropped"}},
      {"After an error the claim may exist.",
       {"Outages.AnUnansweredAttemptThatIsGivenUpLeavesNothing"}},
      {"`drop` is final: no request",
       {"Repeats.ADropIsFinal",
        "LateCalls.AnAttemptThatArrivesAfterItsDropTakesNothing",
        "LateAttempts.AnAttemptThatWasGivenUp"}},
      {"A waiting claim lives while it is attempted again",
       {"Repeats.ABlockedAttemptIsTheSamePlace",
        "RedisFairOrder.StaysHoweverLongTheWait"}},
      {"An engine that may have missed an event rings",
       {"BlockingPrimitiveRestarts.LoseNeitherHolderNorWaiter",
        "Outages.AWaiterOutlivesAShortOne", "Interference.ACutSubscriberIsMadeAnew"}},
      {"A session outlives the server's lease",
       {"Outages.LongerThanTheTtlLoseTheHoldInTime"}},
      {"Claims that were made under the old lease are gone",
       {"Outages.LongerThanTheTtlLoseTheHoldInTime"}},

      // Traits.
      {"What an engine promises for one kind"},
      {"The engine has this kind.", {"Promises.EveryKindIsThere"}},
      {"Tokens grow with every grant",
       {"Tokens.RiseOverAThousandGrants", "Tokens.RiseOverAnotherClient",
        "Promises.TokensFence", "Restart.TokensGrowOverEveryOne",
        "RedisFailover.TokensGrowThoughTheLastOnesAreLost"}},
      {"Claims are granted in order of arrival.",
       {"Order.IsThatOfArrival", "Order.ANewcomerDoesNotOvertakeAWaiter"}},
      {"Waiters are woken by the server; they do not poll.",
       {"BlockingPrimitives.WakeTheirWaiters", "Counts.AWaiterDoesNotPoll",
        "EtcdCounts.AWaiterDoesNotPoll", "MysqlCounts.AWaiterDoesNotPoll"}},
      {"A register that changed and changed back",
       {"Registers.AVersionTellsApartWhatChangedBack"}},
      {"A downgraded hold lets other readers in.",
       {"SharedClaims.ADowngradeLetsReadersInAndKeepsWritersOut"}},
      {"Otherwise the claim stays exclusive.",
       {"SharedClaims.ADowngradeLetsReadersInAndKeepsWritersOut"}},
      {"A claim survives the loss of one server.",
       {"Ensemble.AHoldOutlivesTheLeader",
        "Ensemble.AHoldOutlivesTheFollowerItIsConnectedTo",
        "EtcdClusters.AHoldOutlivesTheLeader",
        "EtcdClusters.AHoldOutlivesTheServerItsClientAsks",
        "DeadNodes.ThatDieWhileTheLockIsHeldDoNotTakeItWithThem"}},
      {"Clients on other hosts see the same state.",
       {"Processes.ExcludeEachOther", "Processes.AWaiterIsWokenByAnotherProcess"},
       "the tests have one host, on which other processes stand for others"},
      {"Grants end by time", {"Promises.AGrantEndsByTimeOrDoesNot"}},
      {"The threads of one process queue in the process",
       {"GateTest.LetsOneInAtATime", "SharedTokens.RiseWhenThreadsPassTheLockOn"}},
      {"This concerns exclusive kinds only.",
       {"Promises.OnlyExclusiveKindsQueueInTheProcess"}},
      {"Claims expire with the session, not individually.",
       {"Promises.AClaimThatIsNotRenewedEndsByItselfOrWithItsSession"}},
      {"The server applies the requests of one session in the order",
       {"PassedDeadlines.OfADropThatAnotherAttemptFollows"}},
      {"A call whose deadline has passed sends its request",
       {"PassedDeadlines.OfAnAttempt",
        "Interference.ForgottenScriptsAreSentAlsoWithAPassedDeadline"}},
      {"It may connect first",
       {"RedisRequestsTest.APassedDeadlineSendsAndDoesNotWait"}},
      {"Elsewhere it depends on the call"},
      {"`post_attempt` and `post_drop` answer.",
       {"Posted.CallsAreAnsweredLaterOrLeftToThoseThatWait"}},
      {"Elsewhere they always leave it",
       {"Posted.CallsAreAnsweredLaterOrLeftToThoseThatWait"}},
      {"A claim may name its token.", {"NamedTokens.AreThoseOfTheGrant"}},
      {"It is then granted with exactly that token",
       {"NamedTokens.AreThoseOfTheGrant", "NamedTokens.AreAboveAllBefore",
        "NamedTokens.AreBelowAllThatAreChosenLater",
        "NamedTokens.OfReadersMayBeTheSame", "NamedTokens.DoNotTakeALockThatIsHeld"}},
      {"A token that is refused changes nothing.", {"NamedTokens.AreAboveAllBefore"}},
      {"A token more than an hour ahead", {"NamedTokens.AreNotFarAheadOfTheClock"}},

      // Watches.
      {"A watch on a resource."},
      {"No ring starts after `keep`",
       {"Registers.AWatchThatHasEndedDoesNotRing",
        "Registers.AWatchThatEndsDuringARingDoesNotRing"}},
      {"The watcher looks again when its waker rings",
       {"Registers.AWatchRingsOnChange",
        "WatchDispatcherTest.LooksAgainThoughNothingRings",
        "WaitLoopTest.PollsAtOnceAndThenWithAWaker"}},

      // Calls that do not wait.
      {"What came of a call that does not wait"},
      {"Neither means that only the form that waits",
       {"Posted.CallsAreAnsweredLaterOrLeftToThoseThatWait"}},

      // Resources: claims.
      {"One address with everything"},
      {"A call that the address's kind has no use for",
       {"BareResourceTest.TakesAndKeepsNothing", "BareResourceTest.HasNothingToSee",
        "BareResourceTest.LeavesItToTheFormsThatWait"}},
      {"Takes or keeps an entry in the queue",
       {"Repeats.AGrantedAttemptIsTheSameGrant",
        "Repeats.ABlockedAttemptIsTheSamePlace"}},
      {"If it is not, `waker` is armed",
       {"Exclusion.AWaiterGetsInWhenTheHolderLeaves",
        "BlockingPrimitives.WakeTheirWaiters"}},
      {"A null `waker` stands for a caller that does not wait",
       {"Repeats.ABlockedAttemptWithoutAWakerLeavesNoPlace"}},
      {"Does what `attempt` does, but does not wait",
       {"Posted.AnswersAreThoseOfTheFormsThatWait"}},
      {"If the call is under way, `answered` rings",
       {"Posted.AnswersAreThoseOfTheFormsThatWait",
        "RedisRequestsTest.APostingIsToldOfItsDeadline",
        "RedisPosted.ALockAndAnUnlock"}},
      {"If `waker` rang meanwhile", {"Posted.AClaimThatWaitsIsWoken"}},
      {"If only `attempt` can answer", {"Posted.AClaimThatWaitsIsWoken"}},
      {"A `drop` may come at any time", {"Posted.ADropEndsACallThatIsUnderWay"}},
      {"Changes a granted claim",
       {"Repeats.AmendChangesAndNeverCreates",
        "SharedClaims.ADowngradeLetsReadersInAndKeepsWritersOut",
        "SemaphoreClaims.FewerPermitsLetOthersIn"}},
      {"It never creates a claim.",
       {"Repeats.AmendChangesAndNeverCreates", "Repeats.RenewExtendsAndNeverCreates"}},
      {"Errc::not_held: the claim is gone.",
       {"Repeats.AmendChangesAndNeverCreates",
        "SemaphoreClaims.AnEvictedOneDoesNotComeBackByAChange"}},
      {"Gives up a claim, whether it waits or is granted",
       {"Repeats.AWaitingPlaceCanBeDropped", "Order.CloseUpWhenAWaiterLeaves",
        "BlockingPrimitives.WakeTheirWaiters",
        "RedisPeers.SeeOurLockAndHearOurUnlock"}},
      {"Errc::not_held: there was no such claim",
       {"Repeats.ADropOfWhatNeverWasSaysSo", "Outages.ALostReplyToADropLeavesNothing"}},
      {"Where `Traits::fifo_requests` is set, a drop",
       {"PassedDeadlines.OfADrop", "PassedDeadlines.OfADropThatAnotherAttemptFollows"}},
      {"Does what `drop` does, but does not wait",
       {"Posted.AnswersAreThoseOfTheFormsThatWait"}},

      // Resources: registers.
      {"Returns what the register holds.",
       {"Registers.AreAbsentAtFirst", "Registers.AddStartsACounterFromZero"}},
      {"A barrier that is present reads as 1",
       {"Latches.BarriersAreSetOnceAndRemovedOnce"}},
      {"The register of a semaphore is its capacity",
       {"Semaphores.TheFirstNumberCounts", "Semaphores.CanGrowForTheirWaiters",
        "DoubleBarriers.LeaveOnlyWhenAllHaveFinished"}},
      {"Adds to the register and returns", {"Registers.AddStartsACounterFromZero"}},
      {"An absent counter starts from zero",
       {"Registers.AddStartsACounterFromZero", "Registers.AddLeavesAnAbsentLatchAlone",
        "Latches.CountDownToZeroAndCanBeSetAgain"}},
      {"A result that does not fit into 64 bits", {"Counters.DoNotLeave64Bits"}},
      {"Creates, changes or erases the register",
       {"Registers.ExchangeCreatesChangesAndErases",
        "Registers.ExchangeRefusesWhatIsNotThere",
        "Registers.AnyVersionStandsForWhatIsPresent"}},
      {"It is done if `from` matched", {"Registers.AnExchangeOfAbsentForAbsentIsDone"}},
      {"Rings `waker` at every change",
       {"Registers.AWatchRingsOnChange", "Registers.AWatchThatHasEndedDoesNotRing"}},

      // Resources: observers and operators.
      {"Lists the claims that the layout shows",
       {"Observers.SeeTheQueueInOrder", "Observers.SeeNoMoreThanTheyAskedFor"}},
      {"Once a double barrier is complete",
       {"DoubleBarrierClaims.AllAreGrantedOnceItIsComplete"}},
      {"Ends the claim of this owner",
       {"Loss.AnEvictedHolderIsTold", "Observers.EvictAWaiterAndTheQueueMovesOn"}},
      {"Errc::not_held: the owner has no claim.",
       {"Repeats.AnEvictionOfAnUnknownOwnerSaysSo"}},
      {"It is for operators only."},

      // Sessions.
      {"`next` is where the next page begins", {"Observers.ListEveryNameOnce"}},
      {"One of the servers that a session found"},
      {"A name and a value, such as"},
      {"Where the server is, as messages spell it"},
      {"A client's session with the server"},
      {"Makes the resource of an address", {"Outages.AResourceIsMadeWithoutTheServer"}},
      {"Where two addresses would make two claims",
       {"Promises.TwoResourcesDoNotMakeOneClaim"}},
      {"Keeps the session alive and extends",
       {"Repeats.RenewExtendsAndNeverCreates", "Loss.ARenewedLeaseOutlivesItsTtl"}},
      {"It is called while any claim waits or is granted.",
       {"LeaseRenewerTest.TheSessionIsKeptAliveForAWaiter",
        "LeaseRenewerTest.RenewsAfterAThird", "Loss.AWaitForAnotherEndsNothing"}},
      {"A claim that is not among `refs` is not extended",
       {"Promises.AClaimThatIsNotRenewedEndsByItselfOrWithItsSession"}},
      {"Each claim has its own outcome", {"Repeats.RenewExtendsAndNeverCreates"}},
      {"Several calls may be under way at once",
       {"Repeats.RenewalsOfOtherClaimsRunAtOnce",
        "Standstills.ARenewalThatIsStuckHoldsUpNoOther",
        "EtcdLeases.ARenewalInAHurryDoesNotDisturbAnother",
        "MysqlConnections.ASilentOneCostsNoOtherHold",
        "MysqlConnections.RenewalsAtTheSameTimeDoNotWaitForEachOther",
        "MysqlRows.ALockedOneCostsNoOtherHold",
        "OnRedisCluster.AServerThatStopsTakesItsOwnSlotsAlone"}},
      {"A call that has not returned by its deadline counts as failed",
       {"RenewalScheduleTest.ACallThatIsNotAnsweredHasFailed",
        "RenewalScheduleTest.AnAnswerThatComesLateCounts"}},
      {"With an empty span", {"Repeats.ARenewalOfNoClaimKeepsTheSession"}},
      {"Lists the addresses that the engine can find",
       {"Observers.ListEveryNameOnce", "Names.AreListedAsTheyWereGiven"}},
      {"It is costly on some engines."},
      {"For operators: removes what is stored of names",
       {"Promises.ASweepLeavesWhatIsInUse", "Promises.ASweepSaysHowManyNamesItRemoved",
        "MysqlSweep.LeavesWhatIsHeldOrWaitedFor",
        "MysqlSweep.LeavesWhatWasTakenLately"}},
      {"Engines that leave nothing behind have nothing to do.",
       {"Promises.ASweepSaysHowManyNamesItRemoved",
        "BareSessionTest.HasNothingToTell"}},
      {"Tokens go on growing on a name that was removed.",
       {"Tokens.RiseOverASweep", "SharedTokens.AReservedBlockIsNotGrantedAgain"}},
      {"A file descriptor that keeps this session's claims alive",
       {"LivenessFd.AChildKeepsTheClaimsOfADeadProcess",
        "LivenessFd.AChildDoesNotKeepWhatWasReleased"}},
      {"A supervisor passes it on"},
      {"It is -1 where claims end by time", {"Matrix.ExceptionsAreNotStale"}},
      {"The session owns the descriptor", {"LivenessFd.BelongsToTheSession"}},
      {"What an operator should know about the server",
       {"Warnings.TellWhatAnOperatorShouldKnow",
        "ServerReports.AreWarningsOfOneSentenceEach",
        "RedisServerInfoTest.WarnsOfEachThingOnce"}},
      {"Makes a signal for one thread to sleep on.",
       {"Signals.EndTheNextWaitAndNoOther",
        "Exclusion.AWaiterGetsInWhenTheHolderLeaves"}},
      {"That of the local engine lies in shared memory",
       {"Processes.AWaiterIsWokenByAnotherProcess",
        "BareSessionTest.HasASignalForTheThreadsOfThisProcess"}},
      {"A signal may outlive its session", {"Promises.ASignalOutlivesItsSession"}},
      {"Describes the servers as they were when the session was opened",
       {"Promises.ServersAreDescribedOnce",
        "OnRedisCluster.TheServersAreDescribedWithoutAskingThem"}},
      {"Nothing that is secret is in it.",
       {"Secrets.AreNotInWhatIsSaidOfTheServers", "Secrets.AreNotInARefusal",
        "Secrets.AreNotInTheFailuresOfAServerThatIsGone",
        "Secrets.AreNotInWhatIsWrongWithTheUrl", "RedisClusterCli.ShowsTheServers"}},
      {"An engine that knows nothing of its servers",
       {"BareSessionTest.HasNothingToTell"}},
      {"The identity of this client", {"IdsTest.AreRandomUuids"}},
      {"The payload of claims that have none of their own.",
       {"Elections.ShowTheClientsPayloadWithoutOneOfTheirOwn"}},
      {"The pauses between attempts to connect.",
       {"OpenSessionTest.TriesAgainUntilItIsReached",
        "BackoffTest.PausesDoubleUpToFiftyTimesTheBase"}},
      {"The engine rings it when a granted claim may be gone",
       {"Eviction.OfAnOlderHoldIsToldWithinASecond"}},
      {"The scheme of the engine's URLs", {"ServerReports.BeginWithTheSchemeOfTheUrl"}},
      {"Opens a session with the server."},

      // claim.h: what a claim is.
      {"holdfast/engine/claim.h - the types"},
      {"The moment by which a call has to return",
       {"ClockTest.IsBootTime", "PassedDeadlines.AreNotWaitedFor"}},
      {"With max() there is no limit, and the clock is not read.",
       {"TimeLeftTest.DoesNotReadTheClockWithoutADeadline",
        "BareSessionTest.HasASignalForTheThreadsOfThisProcess"}},
      {"How long a grant lasts."},
      {"A grant with kNoLease ends with its owner, not by time.",
       {"Promises.AGrantEndsByTimeOrDoesNot", "Deaths.AKilledHolderLetsALaterComerIn"}},
      {"The number of one claim, or of one change"},
      {"It is never used twice, and it makes",
       {"Repeats.AGrantedAttemptIsTheSameGrant",
        "Repeats.AnotherTicketOfTheSameSessionIsAnotherClaim"}},
      {"An engine joins it to `SessionOptions::client`",
       {"Repeats.ADropWithoutTheTicketHarmsNoClaim"}},
      {"A change with Ticket::none is not idempotent.",
       {"Registers.ConcurrentAddsLoseNothing"}},
      {"What a client wants."},
      {"It is plain data", {"ClaimTest.IsPlainData"}},
      {"The text behind `payload` must outlive the claim."},
      {"How long the grant and each renewal last.",
       {"Promises.AGrantSaysHowLongItLasts",
        "Promises.AClaimThatIsNotRenewedEndsByItselfOrWithItsSession"}},
      {"Zero stands for the session's ttl.", {"Promises.AGrantSaysHowLongItLasts"}},
      {"How many permits of a semaphore are wanted",
       {"SemaphoreClaims.TakesAllOrNothing"}},
      {"For a semaphore, the capacity to store",
       {"Semaphores.TheFirstNumberCounts",
        "Semaphores.WithoutANumberWaitUntilItIsSet"}},
      {"For a double barrier, the number of parties.",
       {"DoubleBarrierClaims.NoPartyIsInBeforeTheLastOneIsHere"}},
      {"How many tokens to reserve", {"SharedTokens.AReservedBlockIsNotGrantedAgain"}},
      {"The first of these tokens, or none",
       {"NamedTokens.AreThoseOfTheGrant", "NamedTokens.AreBelowAllThatAreChosenLater"}},
      {"A claim that names its token does not wait",
       {"NamedTokens.DoNotTakeALockThatIsHeld"}},
      {"The text that observers see.",
       {"Observers.SeeAClaimsOwnPayloadAndPermits",
        "Observers.SeeTheBeginningOfALongPayload",
        "Repeats.AmendChangesAndNeverCreates"}},
      {"Empty stands for the session's payload.", {"Observers.SeeTheQueueInOrder"}},

      // What an engine answers to a claim.
      {"`token` is the first of the `tokens`",
       {"NamedTokens.AreThoseOfTheGrant",
        "SharedTokens.AReservedBlockIsNotGrantedAgain"}},
      {"If `one_token` is set, all of them are the same",
       {"SharedTokens.OfOneGrantAreOneNumberIfItSaysSo",
        "GateTest.HandsAGrantOfOneTokenOverWithTheSame"}},
      {"`lease` is what the engine gave",
       {"Promises.AGrantSaysHowLongItLasts",
        "RenewalScheduleTest.ASuccessCountsFromWhenItWasSent"}},
      {"`capacity` answers an attempt at a semaphore",
       {"SemaphoreClaims.AGrantSaysWhatCapacityIsStored",
        "Semaphores.WarnThatAnotherNumberIsStored",
        "ClaimMachineTest.AGrantSaysWhatCapacityIsStored"}},
      {"A capacity of zero says nothing", {"RedisCapacity.OfAPlainOneIsNotSaid"}},
      {"The caller asks again when its waker rings",
       {"WaitLoopTest.AStepPollsOnceAndSaysUntilWhenToSleep",
        "WaitLoopTest.PollsAtOnceAndThenWithAWaker",
        "BlockingPrimitives.WakeTheirWaiters", "Cuts.AWakeUpThatWasLostIsFoundOut"}},
      {"A TokenBehind answers a claim that named its token",
       {"NamedTokens.AreAboveAllBefore", "NamedTokens.AreTheOnlyOnesThatCanBeBehind"}},
      {"Returns whether a claim may have the token that it names",
       {"ClaimTest.AWriterPassesWithATokenAboveAllBefore"}},
      {"Readers hold together, so they may have the same one.",
       {"ClaimTest.AWriterPassesWithATokenAboveAllBefore",
        "NamedTokens.OfReadersMayBeTheSame"}},
      {"A named token is at most this far ahead",
       {"NamedTokens.AreNotFarAheadOfTheClock"}},
      {"A ClaimRef is one claim of several"},
      {"The engine sets `granted` and `outcome`.",
       {"Repeats.RenewExtendsAndNeverCreates"}},
      {"Errc::not_held says that the claim is gone; after",
       {"Repeats.RenewExtendsAndNeverCreates", "PassedDeadlines.AreNotWaitedFor"}},

      // What a register holds.
      {"A Value is what a register holds."},
      {"A version of zero says that the register is absent.",
       {"Registers.AreAbsentAtFirst", "Registers.ExchangeCreatesChangesAndErases"}},
      {"Where `Traits::versions` is set, every change",
       {"Registers.AVersionTellsApartWhatChangedBack"}},
      {"In the `from` of an exchange, this version stands",
       {"Registers.AnyVersionStandsForWhatIsPresent",
        "ClaimTest.ARegisterMatchesItsNumberAndItsVersion"}},
      {"Returns whether a register that holds `now` is as `from` says.",
       {"ClaimTest.ARegisterMatchesItsNumberAndItsVersion"}},
      {"An exchange answers whether the register was as expected",
       {"Registers.ExchangeCreatesChangesAndErases",
        "Registers.ExchangeRefusesWhatIsNotThere"}},

      // Entries and signals.
      {"An Entry is a claim as an observer sees it, of any client",
       {"Observers.SeeTheQueueInOrder", "Repeats.ADropWithoutTheTicketHarmsNoClaim"},
       "the claims of other libraries are seen in tests/interop"},
      {"`owner` is in the engine's spelling", {"Loss.AnEvictedHolderIsTold"}},
      {"A Signal is what one waiter sleeps on."},
      {"`ring` may be called from any thread",
       {"Signals.AreRungByAnyThread", "Signals.RungWithoutCauseChangeNothing"}},
      {"`wait` returns when the signal has been rung",
       {"Signals.EndTheNextWaitAndNoOther", "Signals.AreWaitedForUntilTheDeadline"}},

      // sent_call.h.
      {"holdfast/engine/sent_call.h - calls in two halves"},
      {"A caller that asks several servers can send"},
      {"An engine need not have this", {"Matrix.ExceptionsAreNotStale"}},
      {"auto* const split = dynamic_cast<engine::SplitCalls*>"},
      {"A call whose request was sent."},
      {"It must not outlive its resource."},
      {"One thread uses it at a time."},
      {"If it is destroyed before its answer was taken",
       {"SentCalls.ThatAreDestroyedAreAsAfterALostReply"}},
      {"A descriptor that is readable once",
       {"SentCalls.AreReadyWhenTheirAnswerIsThere"}},
      {"It may change after each call of `is_ready`.",
       {"SentCalls.AreReadyWhenTheirAnswerIsThere"}},
      {"Returns whether `take` would not wait.",
       {"SentCalls.AreReadyWhenTheirAnswerIsThere",
        "SentCalls.WithoutAReplyHaveAnUnknownOutcome"}},
      {"It looks at what has arrived, and does not wait itself.",
       {"RedisRequestsTest.WhatWasSentIsTakenLater"}},
      {"Waits for the answer, and returns what the whole call",
       {"SentCalls.AreAnsweredAsTheWholeCall",
        "SentCalls.WithoutAReplyHaveAnUnknownOutcome",
        "RedisRequestsTest.WhatWasSentIsWaitedForUntilTheDeadline"}},
      {"It is called once."},
      {"The calls of a resource that can be made in two halves."},
      {"Null says that nothing was sent", {"SentCalls.AreNotSentWithoutAConnection"}},
      {"The caller then makes the whole call.",
       {"SentCalls.AreNotSentWithoutAConnection"}},
      {"The claim's payload must outlive the sent call."},

      // admission.h.
      {"holdfast/engine/admission.h - which claims"},
      {"This is a pure rule, tested by tables.", {"AdmissionTest.FollowsTheTable"}},
      {"`local`, `mysql`, `etcd` and `zookeeper` grant the claims of a queue by it",
       {"Order.ANewcomerDoesNotOvertakeAWaiter", "SharedClaims.AWriterIsNotStarved",
        "SemaphoreClaims.ALargeRequestIsNotStarved",
        "DoubleBarrierClaims.NoPartyIsInBeforeTheLastOneIsHere",
        "Order.IsThatOfArrival", "SharedClaims.ReadersBehindAWriterThatGivesUpGetIn",
        "SemaphoreClaims.AReleaseLetsInAsManyAsFit",
        "DoubleBarrierClaims.APartyThatGivesUpIsNotCounted",
        "QueueRulesTest.TheEntriesAheadDecideAndARefusedOneEndsTheGrants",
        "MysqlQueueRows.DecidesByTheLivingRowsAsByTheWholeQueue",
        "EtcdOrderedQueue.DecidesByThePredecessorAsByTheWholeQueue",
        "EtcdSemaphore.DecidesByTheClaimsAheadAsByTheWholeQueue",
        "EtcdDoubleBarrier.DecidesAsByTheWholeQueue",
        "ZookeeperQueue.DecidesByTheNodesThatCountAsByTheWholeQueue",
        "ZookeeperSemaphore.LetsTheFirstInAsByTheWholeQueue"}},
      {"Where Traits::orders is false for a kind, a claim that arrives may pass",
       {"Barging.ARunningThreadTakesALockThatWaitsForItsHead"}},
      {"That no two claims hold it together is true there, too.",
       {"Threads.OfManyClientsLoseNothing", "Processes.ExcludeEachOther"}},
      {"One entry of the queue."},
      {"Entries are in order of arrival.", {"Observers.SeeTheQueueInOrder"}},
      {"Whether the entry at `index` may be granted now.",
       {"AdmissionTest.FollowsTheTable",
        "AdmissionTest.AdmitsNothingBehindTheEndOfTheQueue"}},
      {"`capacity` counts permits (semaphore)", {"AdmissionTest.FollowsTheTable"}},
      {"The rule, by kind:."},
      {"mutex, fair_mutex, election   no other entry",
       {"AdmissionTest.FollowsTheTable", "AdmissionTest.PermitsDoNotOverflow"}},
  };
  return all;
}

const fs::path kSource = HOLDFAST_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Joins the lines of each comment, and of each point of a list in it.
std::vector<std::string> paragraphs(const std::string& header) {
  std::vector<std::string> all(1);
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// SPDX-") || line.starts_with("// clang-format ")) continue;
    std::smatch comment;
    static const std::regex pattern(R"(^\s*//\s*(\* )?(.*)$)");
    const bool is_comment = std::regex_match(line, comment, pattern);
    if (!is_comment || comment[1].matched || comment[2].length() == 0) {
      all.emplace_back();
    }
    if (!is_comment) continue;
    if (!all.back().empty()) all.back() += " ";
    all.back() += comment[2].str();
  }
  std::erase(all, "");
  return all;
}

std::vector<std::string> sentences(const std::string& header) {
  static const std::regex gap(R"(\. (?=[A-Z`]))");
  std::vector<std::string> all;
  for (const std::string& paragraph : paragraphs(header)) {
    std::sregex_token_iterator part(paragraph.begin(), paragraph.end(), gap, -1);
    for (; part != std::sregex_token_iterator(); ++part) {
      all.push_back(*part);
      if (!all.back().ends_with('.')) all.back() += '.';
    }
  }
  return all;
}

// Returns every case of the source tree, as "Suite.Case".
std::set<std::string, std::less<>> cases_in(const fs::path& tests) {
  static const std::regex pattern(R"(\bTEST(?:_[PF])?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string, std::less<>> all;
  for (const auto& file : fs::recursive_directory_iterator(tests)) {
    if (file.path().extension() != ".cc") continue;
    const std::string text = text_of(file.path());
    std::sregex_iterator found(text.begin(), text.end(), pattern);
    for (; found != std::sregex_iterator(); ++found) {
      all.insert((*found)[1].str() + "." + (*found)[2].str());
    }
  }
  return all;
}

TEST(Contract, EverySentenceIsInTheTable) {
  std::vector<std::string> written;
  for (const std::string_view header : kHeaders) {
    const std::size_t before = written.size();
    std::ranges::move(sentences(text_of(kSource / "include/holdfast/engine" / header)),
                      std::back_inserter(written));
    EXPECT_GE(written.size(), before + 10) << header << " is not read as it should be";
  }
  EXPECT_GE(written.size(), 170u) << "the headers are not read as they should be";
  for (const std::string& sentence : written) {
    EXPECT_TRUE(std::ranges::any_of(
        contract(),
        [&](const Sentence& row) { return sentence.starts_with(row.begins); }))
        << "not in the table: " << sentence;
  }
  for (const Sentence& row : contract()) {
    EXPECT_TRUE(std::ranges::any_of(
        written,
        [&](const std::string& sentence) { return sentence.starts_with(row.begins); }))
        << "not in a header: " << row.begins;
  }
}

TEST(Contract, EveryHeaderOfTheWaistIsRead) {
  std::set<std::string> there;
  for (const auto& file : fs::directory_iterator(kSource / "include/holdfast/engine")) {
    there.insert(file.path().filename());
  }
  EXPECT_EQ(there, std::set<std::string>(std::begin(kHeaders), std::end(kHeaders)));
}

TEST(Contract, EveryCaseOfTheTableExists) {
  const auto known = cases_in(kSource / "tests");
  for (const Sentence& row : contract()) {
    for (const std::string_view each : row.cases) {
      EXPECT_TRUE(known.contains(each)) << each;
    }
  }
}

}  // namespace
}  // namespace holdfast::test
